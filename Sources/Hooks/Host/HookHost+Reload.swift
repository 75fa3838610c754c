internal import Posix

/// Scripts that are loaded anew: all of them when that is asked for, those that changed by
/// themselves.
extension HookHost {
  /// Looks for scripts again and loads all of them anew; on the loop.
  ///
  /// - Parameter completion: is called on the loop once each is in the place of its version before,
  ///   or has turned out to be broken; with what became of them, or why nothing is loaded.
  public func reload(completion: @escaping (ControlReply) -> Void = { _ in }) {
    guard shutdown == nil else {
      return completion(ControlReply(.refused, "the daemon is stopping"))
    }
    guard isStarted, let fileWatch else {
      return completion(ControlReply(.refused, "the scripts are still being loaded"))
    }
    tellSupervisor(ServiceSupervisor.reloading)
    reloads.append { reply in
      if self.shutdown == nil { self.tellSupervisor("READY=1") }
      completion(reply)
    }
    fileWatch.look()
  }

  /// Begins to watch the files of all scripts; on a stage they are as they were until a reload.
  func watchFiles() {
    // Weak, for the host holds the watch.
    let watch = ScriptWatch(
      paths, on: loop, with: equipment.files, log: log, seesChanges: equipment.stage == nil,
      libraries: { [weak self] in self?.assumeIsolated { $0.libraries } ?? [] },
      seen: { [weak self] look in self?.assumeIsolated { $0.take(look) } })
    fileWatch = watch
    // What changed since it was read.
    if equipment.stage == nil { watch.look() }
  }

  /// The files that scripts require.
  private var libraries: Set<String> {
    scripts.reduce(into: []) { $0.formUnion($1.files.keys) }
  }

  /// Unloads what is gone, and loads what is new, what changed, or everything that is asked for.
  private func take(_ look: ScriptLook) {
    guard shutdown == nil else { return }
    let completions = reloads
    reloads = []
    let isAsked = !completions.isEmpty
    let refusals = look.discovery.refusals
    for refusal in refusals where isAsked || !knownRefusals.contains(refusal) {
      log.write(.error, "\(refusal)")
    }
    knownRefusals = Set(refusals)
    for script in scripts where !look.isThere(script.source) { unload(script) }
    let report = ReloadReport(refusals: refusals)
    for source in look.discovery.sources {
      guard let file = look.contents[source.path] else { continue }
      let script: LoadedScript
      if let known = scripts.first(where: { $0.source == source }) {
        guard isAsked || known.hasChanged(in: look) else { continue }
        script = known
      } else {
        script = makeScript(source)
        scripts.append(script)
      }
      report.begin(script)
      load(script, file)
    }
    guard isAsked else { return }
    report.completion = { reply in for completion in completions { completion(reply) } }
    report.finish()
  }
}

/// What becomes of the scripts that a reload loads; touched only on the loop.
private final class ReloadReport {
  var completion: ((ControlReply) -> Void)?
  private var faults: [String]
  private var loaded = 0
  private var pending = 0

  init(refusals: [ScriptError]) { faults = refusals.map(\.description) }

  func begin(_ script: LoadedScript) {
    pending += 1
    let source = script.source
    script.loadWaiters.append { result in
      self.pending -= 1
      if result.isSuccess { self.loaded += 1 } else { self.faults.append(result.text(of: source)) }
      self.finish()
    }
  }

  /// Tells what became of them, once that is known of all.
  func finish() {
    guard pending == 0, let completion else { return }
    self.completion = nil
    let scripts = "loaded \(loaded) script\(loaded == 1 ? "" : "s")"
    completion(
      faults.isEmpty
        ? ControlReply(.done, scripts)
        : ControlReply(.failed, (faults.map(\.printable) + [scripts]).joined(separator: "\n")))
  }
}

/// What became of a script that was to be loaded.
enum LoadResult {
  case loaded(hooks: Int)
  /// It is broken; whether the version before goes on.
  case failed(String, keepsVersion: Bool)
  /// It was unloaded, or the daemon stops.
  case abandoned

  var isSuccess: Bool { if case .loaded = self { true } else { false } }

  /// For people: `loaded 1 hook from greet.lua`.
  func text(of source: ScriptSource) -> String {
    switch self {
    case .loaded(let count): "loaded \(count) hook\(count == 1 ? "" : "s") from \(source.path)"
    case .failed(let fault, let keepsVersion):
      fault + (keepsVersion ? "; the version before goes on" : "")
    case .abandoned: "\(source.path): unloaded"
    }
  }
}
