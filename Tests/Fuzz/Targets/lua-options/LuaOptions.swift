internal import Fuzzing
@testable internal import Hooks
internal import Lua
internal import Reachability

/// The tables that scripts give to the library's functions.
@main enum LuaOptions: Fuzzer {
  static func check(_ input: Input) {
    var maker = ValueMaker(rest: input.bytes[...])
    let arguments = [maker.table(depth: 0)]
    let results = [
      Result { _ = try Target(declaredBy: arguments) },
      Result { _ = try Hook(declaredBy: arguments, targets: [.single(Target(.internet))]) },
      Result { _ = try CommandEffect(arguments: arguments, folder: "/", left: .seconds(300)) },
      Result { _ = try HTTPEffect(arguments: arguments, left: .seconds(300)) },
      Result { _ = try WriteEffect(arguments: arguments, folder: "/") },
      Result { _ = try NotifyEffect(arguments: arguments, script: "x") },
    ]
    for case .failure(let error) in results {
      guard let error = error as? OptionError else { return expect(false, "\(error) is typed") }
      expect(error.message.printable == error.message, "one printable line: \(error.message)")
    }
    checkRemarks(on: arguments)
  }

  /// What is said of a declaration that was taken.
  private static func checkRemarks(on arguments: [LuaValue]) {
    var declarations = ScriptDeclarations()
    if let target = try? Target(declaredBy: arguments) {
      declarations.targets.append(.single(target))
    }
    if var hook = try? Hook(declaredBy: arguments, targets: declarations.targets) {
      hook.note = HookNote(at: nil, arguments)
      declarations.hooks.append(hook)
    }
    for remark in declarations.remarks(lost: [2], obstacle: { _ in nil }) {
      expect(remark.message.printable == remark.message, "one printable line: \(remark.message)")
    }
  }
}

/// Makes values of bytes, keys that are known among them, so that deep rules are reached.
private struct ValueMaker {
  var rest: Slice<UnsafeRawBufferPointer>

  private static let words = [
    "host", "address", "from", "interface", "internet", "name", "route", "wwan", "metered",
    "medium",
    "target", "stable", "deadline", "reachable", "unreachable", "portal", "wired", "wifi", "change",
    "timeout", "check", "stdin", "cwd", "env",
    "url", "method", "headers", "body", "json", "redirect", "path", "text", "append",
    "title", "urgency", "replace", "critical",
    "nas.lan", "192.0.2.1",
    "http", "expect", "http://nas.lan/", "https://[fe80::1%25eth0]:1/?a", "fe80::1%eth0", "10s",
    "true", "network", "ssid", "gateway_mac", "subnet", "Home", "02:00:5e:10:00:01",
    "192.168.1.0/24", "tcp", "icmp", "dns", "every", "fall", "rise", "192.0.2.1:443", "[::1]:22",
    "nas.lan:22", "given", "quiet", "22:00-07:00", "24:00-00:00", "apart", "again", "initial",
    "changed", "mode", "queue", "restart",
  ]

  private mutating func byte() -> Int { Int(rest.popFirst() ?? 0) }

  private mutating func string() -> LuaValue {
    let choice = byte()
    if choice < 200 { return .string(ValueMaker.words[choice % ValueMaker.words.count]) }
    let bytes = rest.prefix(choice - 200)
    rest = rest.dropFirst(choice - 200)
    return String(validating: bytes, as: UTF8.self).map { .string($0) } ?? .bytes(Array(bytes))
  }

  mutating func table(depth: Int) -> LuaValue {
    var table = LuaTable()
    for _ in 0..<(byte() % 4) { table.array.append(value(depth: depth + 1)) }
    for _ in 0..<(byte() % 6) {
      let key = byte() < 240 ? string() : value(depth: depth + 1)
      table.fields.append(LuaField(key, value(depth: depth + 1)))
    }
    return .table(table)
  }

  private mutating func value(depth: Int) -> LuaValue {
    switch byte() % 9 {
    case 0: return .boolean(byte() % 2 == 0)
    case 1: return .integer(Int64(byte() - 100) << (byte() % 60))
    case 2: return .number([0.5, -1, .nan, .infinity, 1e300][byte() % 5])
    case 3 where depth < 4: return table(depth: depth)
    case 4: return .object(LuaObject(classID: 0, id: 0))
    case 5: return .unsupported("thread")
    case 6: return .nil
    default: return string()
    }
  }
}
