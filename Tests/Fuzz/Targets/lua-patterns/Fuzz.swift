internal import CStockLua
internal import Fuzzing
internal import Glibc
internal import Lua

/// Patterns, subjects and replacements: our pattern functions do what Lua's own do.
@main enum LuaPatterns: Fuzzer {
  /// An input is a start, then a subject, a pattern and a replacement, each ended by `/`.
  static func check(_ input: Input) {
    guard input.bytes.count < 200 else { return }
    let start = input.bytes.first.map { Int8(bitPattern: $0) } ?? 0
    let parts = input.bytes.dropFirst().split(
      separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count >= 3 else { return }
    let (subject, pattern, replacement) = (literal(parts[0]), literal(parts[1]), literal(parts[2]))
    let text = """
      local subject, pattern, start = \(subject), \(pattern), \(start)
      local function show(...) print(select("#", ...), ...) end
      show(pcall(string.find, subject, pattern, start))
      show(pcall(string.find, subject, pattern, start, true))
      show(pcall(string.match, subject, pattern, start))
      show(pcall(string.gsub, subject, pattern, \(replacement)))
      show(pcall(string.gsub, subject, pattern, \(replacement), start))
      show(pcall(string.gsub, subject, pattern, function(...) show(...) return (...) end))
      show(pcall(string.gsub, subject, pattern, {[subject] = "x", a = false, [1] = 1}))
      show(pcall(function()
        for a, b, c in subject:gmatch(pattern, start) do show(a, b, c) end
      end))
      """
    // What takes us long takes Lua's own for ever.
    guard let ours = ours(text) else { return }
    expect(ours == stock(text), "ours and Lua's own agree in \(text)")
  }

  private static func literal(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    let escapes = bytes.map { byte in
      let digits = String(byte)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
    return "\"\(escapes.joined())\""
  }

  private static func ours(_ text: String) -> [UInt8]? {
    var output: [UInt8] = []
    var declarations = LuaDeclarations()
    declarations.functions = [
      LuaFunctionDeclaration("print", arguments: .joined) { call, _ in
        switch call.arguments.first {
        case .string(let text): output += text.utf8
        case .bytes(let bytes): output += bytes
        default: break
        }
        output.append(UInt8(ascii: "\n"))
        return .returned
      }
    ]
    do throws(LuaFailure) {
      let limits = LuaLimits(processorTime: .milliseconds(20))
      var state = try LuaState(limits: limits, declarations: declarations)
      try state.load(Array(text.utf8), name: "hook.lua")
    } catch {
      expect(error.cause == .processorTime, "\(text) runs: \(error.message)")
      return nil
    }
    return output
  }

  private static func stock(_ text: String) -> [UInt8] {
    var text = text
    var count = 0
    let output = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        stock_lua_run(characters.baseAddress, characters.count, "@hook.lua", &count)
      }
    }
    defer { free(output) }
    return Array(UnsafeRawBufferPointer(start: output, count: count))
  }
}
