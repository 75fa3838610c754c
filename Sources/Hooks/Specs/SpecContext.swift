internal import Lua
internal import Posix

/// What the functions of one spec work on; touched only by the thread that runs it.
final class SpecContext {
  /// A test of the spec.
  struct Test {
    let name: String
    /// What comes before it, and itself.
    let bodies: [LuaFunction]
    let cleanups: [LuaFunction]
  }

  /// What `reach.test` was called with.
  struct Request {
    let paths: [String]
    var time: Int64 = SpecContext.noon
    var stores: [String: String] = [:]
  }

  /// Monday 2026-01-05 12:00 UTC.
  static let noon: Int64 = 1_767_614_400
  /// How long a test may take on the clock of whoever waits for it.
  static let patience = Duration.seconds(30)

  /// What the functions that specs share with hooks work on.
  let script: ScriptContext
  let source: ScriptSource
  var finish: LuaFunction?
  var tests: [Test] = []
  /// What the run that waits is waiting for.
  var action: (() throws(OptionError) -> Void)?
  /// Whether a test runs, rather than the spec being loaded.
  var isTesting = false
  private var requests: [Request] = []
  /// How many of them were made while the spec was loaded.
  private var lasting = 0
  private var rehearsals: [Int64: Rehearsal] = [:]
  private var deadline: BootInstant?
  /// Whose failures the test has asked for.
  private var forgiven: Set<Int64> = []

  init(_ source: ScriptSource) {
    self.source = source
    script = ScriptContext(source: source, log: Log(level: .info))
  }

  /// Begins a test: whatever was rehearsed before it is over.
  func begin() {
    isTesting = true
    rehearsals = [:]
    requests.removeSubrange(lasting...)
    forgiven = []
    deadline = .now + SpecContext.patience
  }

  /// Takes note that the spec is loaded.
  func noteLoaded() { lasting = requests.count }

  /// Begins a rehearsal; one that is made while the spec is loaded begins anew with each test.
  func rehearse(_ request: Request) throws(OptionError) -> LuaObject {
    for path in request.paths { try checkPresence(of: path) }
    requests.append(request)
    let object = LuaObject(classID: LuaClass.rehearsal.id, id: Int64(requests.count))
    if isTesting { _ = try rehearsal(of: object) }
    return object
  }

  /// Refuses a script beside the spec that is not there, and names the one that was meant.
  private func checkPresence(of path: String) throws(OptionError) {
    let folder = source.path.folder
    guard path.folder == folder, FileKind(of: path) == .missing else { return }
    let name = ScriptSource(foundAt: path).name
    let present = try? ScriptSource.discover([folder.isEmpty ? "." : String(folder)]).sources
    throw OptionError(
      "reach.test: no script \"\(name)\" beside the spec"
        + Nearest.hint(for: name, among: (present ?? []).map(\.name)))
  }

  func rehearsal(of object: LuaObject) throws(OptionError) -> Rehearsal {
    if let rehearsal = rehearsals[object.id] { return rehearsal }
    guard isTesting else {
      throw OptionError("t is led by tests; use it within it(…) or before_each(…)")
    }
    guard requests.indices.contains(Int(object.id) - 1) else {
      throw OptionError("this rehearsal has ended with its test; make one in before_each(…)")
    }
    let request = requests[Int(object.id) - 1]
    do {
      let rehearsal = try Rehearsal(request.paths, at: request.time, stores: request.stores)
      rehearsal.deadline = deadline
      rehearsals[object.id] = rehearsal
      return rehearsal
    } catch {
      throw OptionError("reach.test: \(error)")
    }
  }

  /// What failed on stage, which the test then knows of.
  func failures(of object: LuaObject) throws(OptionError) -> [String] {
    let failures = try rehearsal(of: object).stage.failures
    forgiven.insert(object.id)
    return failures
  }

  /// A line for each answer that nothing asked for, whose text may be misspelt.
  var unaskedAnswers: [String] {
    rehearsals.sorted { $0.key < $1.key }.flatMap { $0.value.stage.unaskedAnswers }
      .map { "answer \"\($0)\" was never asked for" }
  }

  /// What hooks have done, and what has failed, the last first.
  var deeds: [String] {
    let entries = rehearsals.sorted { $0.key < $1.key }.flatMap { $0.value.stage.entries }
    return entries.reversed().compactMap { entry in
      switch entry.happening {
      case .deed(let deed): "\(entry.origin) \(deed.line)"
      case .failure(let message): "\(entry.origin) fails: \(message)"
      case .call, .line, .loadFault: nil
      }
    }
  }

  /// What failed without being asked for.
  var unexpectedFailures: [String] {
    rehearsals.sorted { $0.key < $1.key }.filter { !forgiven.contains($0.key) }
      .flatMap { $0.value.stage.failures }
  }
}

extension LuaClass {
  static let rehearsal = LuaClass(id: 0, name: "t")
}

extension Stage {
  /// What has failed, as `script/hook: message`.
  fileprivate var failures: [String] {
    entries.compactMap { entry in
      guard case .failure(let message) = entry.happening else { return nil }
      return "\(entry.origin): \(message)"
    }
  }
}
