internal import Lua
internal import Posix
internal import Reachability

extension LibraryFunction {
  static let target = LibraryFunction(
    name: "reach.target", place: .load,
    takes: [Field("options", "reach.TargetOptions", "What is judged, and how.")],
    returns: Field("target", "reach.Target", "What `reach.on` takes, and the combinations."),
    summary: """
      Declares a target: `reach.target{ host = "nas.lan", tcp = 22 }`.

      It has one subject: `host`, `address`, `interface`, `internet` or `network`; and one probe at
      most: `tcp`, `icmp`, `dns` or `http`. Without a probe the kernel's word counts.
      """
  ) { context, call, results throws(OptionError) in
    let target = try Target(declaredBy: call.arguments)
    results.object(
      try context.declare(
        .single(target), by: "reach.target", at: call.position,
        meansNoProbe: Target.meansNoProbe(call.arguments)))
    return .returned
  }
}

extension TableForm {
  static let targetOptions = TableForm(
    "reach.TargetOptions", "What `reach.target` takes.",
    [
      Field("host?", "string", "The subject: a host, by its name."),
      Field("address?", "string", "The subject: an IPv4 or IPv6 address."),
      Field("from?", "string", "With `address`: the address of this machine to come from."),
      Field("interface?", "string", "The subject: an interface, which must be up with an address."),
      Field("internet?", "true", "The subject: a default route that works."),
      Field("network?", TableForm.networkOptions.name, "The subject: being on a network."),
      Field("name?", "string", "What events call it. Default the subject; unique in the script."),
      Field(
        "route?", "boolean",
        "`true` says that no probe is meant: a way to it is enough, also if it is switched off."),
      Field("wwan?", "boolean", "`false`: mobile data does not count as reachable. Default true."),
      Field("metered?", "boolean", "`false`: nor does a path known to be metered. Default true."),
      Field(
        "medium?", "table<string, \(WordList.union(Target.mediaToChoose.map(\.rawValue)))>",
        "What interfaces are to be taken for: `{ usb0 = \"wwan\" }`."),
    ] + Probe.fields)
}

extension ScriptContext {
  static let mostTargets = 64
  static let mostHooks = 128

  /// Adds a target to what the script declares.
  func declare(
    _ target: DeclaredTarget, by function: String, at position: LuaPosition?,
    meansNoProbe: Bool = false
  ) throws(OptionError) -> LuaObject {
    let targets = declarations.targets
    guard !targets.contains(where: { $0.name == target.name }) else {
      throw OptionError("\(function): a second target named \"\(target.name)\" in this script")
    }
    guard targets.count < ScriptContext.mostTargets + 2 else {
      throw OptionError("\(function): more than \(ScriptContext.mostTargets) targets")
    }
    declarations.targets.append(target)
    declarations.notes[target.name] = TargetNote(
      function: function, position: position, meansNoProbe: meansNoProbe)
    return LuaObject(target: targets.count)
  }
}

extension OptionTable {
  /// The name that events are to call a target by; nil where its subject is the name.
  func targetName() throws(OptionError) -> String? {
    let name = try string("name")
    guard name?.isEmpty != true else { throw error("\"name\" is empty") }
    return name
  }
}

extension LuaObject {
  /// A target, by its position among the script's declarations.
  init(target position: Int) { self.init(classID: LuaClass.target.id, id: Int64(position)) }
}

extension LuaClass {
  static let target = LuaClass(id: 0, name: "target")
}

extension Target {
  init(declaredBy arguments: [LuaValue]) throws(OptionError) {
    let options = try OptionTable(arguments, for: "reach.target", as: .targetOptions)
    self.init(try Target.subject(options))
    if let name = try options.targetName() { self.name = name }
    let named = options.named(name)
    probe = try Probe.declared(by: named, for: subject)
    if try named.boolean("route") == true, probe != nil {
      throw named.error("\"route\" says that no probe is meant, but there is one")
    }
    allowsWWAN = try named.boolean("wwan") ?? true
    allowsMetered = try named.boolean("metered") ?? true
    media = try Target.media(named)
  }

  /// Whether a declaration that was taken says `route = true`.
  fileprivate static func meansNoProbe(_ arguments: [LuaValue]) -> Bool {
    guard case .table(let table)? = arguments.first else { return false }
    return table["route"] == .boolean(true)
  }

  private static func subject(_ options: OptionTable) throws(OptionError) -> Subject {
    let subjects = ["host", "address", "interface", "internet", "network"]
    let given = subjects.filter { options.value($0) != nil }
    if given.isEmpty, let url = try options.url("http") { return Subject(url.host) }
    guard given.count == 1 else {
      throw OptionError(
        "reach.target: needs exactly one of host, address, interface, internet and network, "
          + (given.isEmpty ? "and has none" : "not \(given.joined(separator: " and "))"))
    }
    let from = try options.string("from")
    guard from == nil || given == ["address"] else {
      throw OptionError("reach.target: \"from\" goes with \"address\"")
    }
    if let host = try options.string("host") {
      return try read("host", host) { () throws(TargetError) in .host(try Subject.hostName(host)) }
    }
    if let address = try options.string("address") {
      return try read("address", address) { () throws(TargetError) in
        guard let from else { return try Subject.address(address) }
        return try Subject.pair(from, address)
      }
    }
    if let name = try options.string("interface") {
      return try read("interface", name) { () throws(TargetError) in
        .interface(try Subject.interfaceName(name))
      }
    }
    if let network = try Network(declaredBy: options) { return .network(network) }
    guard try options.boolean("internet") == true else {
      throw OptionError("reach.target: \"internet\" must be true")
    }
    return .internet
  }

  /// Reads a subject; where its text is one that belongs to other keys, the error says to which.
  ///
  /// What cannot be an interface's name may still be a host's, which is not what was meant.
  private static func read(
    _ key: String, _ text: String, _ body: () throws(TargetError) -> Subject
  ) throws(OptionError) -> Subject {
    do { return try body() } catch {
      guard key != "interface", let meant = meaning(of: text), meant.keys != "\(key) = \"\(text)\""
      else {
        throw OptionError("reach.target: \(error)")
      }
      throw OptionError("reach.target: \"\(text)\" is \(meant.kind): write \(meant.keys)")
    }
  }

  /// What a text is that the command line takes for a target, and the keys by which scripts declare it.
  private static func meaning(of text: String) -> (kind: String, keys: String)? {
    guard let target = try? Target(parsing: text) else { return nil }
    let key: String
    let kind: String
    switch (target.subject, target.probe?.kind) {
    case (_, .http?): return ("a URL", "http = \"\(text)\"")
    case (.address, _): (kind, key) = ("an address", "address")
    case (.host, _): (kind, key) = ("a host name", "host")
    default: return nil
    }
    guard case .tcp(let port)? = target.probe?.kind else { return (kind, "\(key) = \"\(text)\"") }
    return ("\(kind) and a port", "\(key) = \"\(target.subject)\", tcp = \(port)")
  }

  /// The media that an interface can be said to be.
  fileprivate static let mediaToChoose: [Medium] = [.wired, .wifi, .wwan, .other]

  private static func media(_ options: OptionTable) throws(OptionError) -> [String: Medium] {
    var media: [String: Medium] = [:]
    for (name, word) in try options.strings("medium") ?? [] {
      guard let medium = mediaToChoose.first(where: { $0.rawValue == word }) else {
        throw options.mismatch(
          "medium", "wired, wifi, wwan or other for each interface", .string(word))
      }
      media[name] = medium
    }
    return media
  }
}
