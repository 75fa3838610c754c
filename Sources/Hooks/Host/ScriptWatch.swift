internal import Posix
internal import Reachability

/// Looks at the files of scripts when it is told to, and whenever one of them may have changed.
///
/// Only the loop's thread touches it; it looks on another.
final class ScriptWatch: @unchecked Sendable {
  private let paths: [String]
  private let loop: EventLoop
  private let files: ThreadPool
  private let log: Log
  private let libraries: () -> Set<String>
  private let seen: (ScriptLook) -> Void
  private var inotify: Inotify?
  private var watches: [Inotify.Watch: WatchPlan.Interest] = [:]
  /// Folders of interest that cannot be watched.
  private var unwatchable: Set<String> = []
  private var settling = Settling(quiet: ScriptWatch.quiet)
  private var timer: LoopTimer?
  private var isLooking = false
  /// Whether something happened since the look began that is under way.
  private var isStale = false
  /// How often in a row a look was taken again before it counted.
  private var repeats = 0

  /// How long nothing must happen before a change is looked at: many write a file in several steps.
  static let quiet = Duration.milliseconds(100)
  /// Files that change all the time are looked at all the same.
  private static let mostRepeats = 8

  /// - Parameters:
  ///   - paths: the files, and the folders of scripts.
  ///   - loop: where it lives.
  ///   - files: the threads that it looks on.
  ///   - log: where it says that nothing can be watched.
  ///   - seesChanges: whether it looks by itself when something has changed.
  ///   - libraries: the files beside them that are to be watched, too, at any moment.
  ///   - seen: is called on the loop with what was found, whether that has changed or not.
  init(
    _ paths: [String], on loop: EventLoop, with files: ThreadPool, log: Log, seesChanges: Bool,
    libraries: @escaping () -> Set<String>, seen: @escaping (ScriptLook) -> Void
  ) {
    self.paths = paths
    self.loop = loop
    self.files = files
    self.log = log
    self.libraries = libraries
    self.seen = seen
    guard seesChanges else { return }
    do throws(SystemError) {
      inotify = try Inotify(on: loop) { [unowned self] in take($0) }
    } catch {
      log.write(.warn, "\(error); changes are seen by `reach reload` alone")
    }
  }

  /// Ends the watch; on the loop.
  func cancel() {
    inotify?.cancel()
    inotify = nil
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  /// Looks, now or once more after the look that is under way.
  func look() {
    if let timer { loop.cancel(timer) }
    timer = nil
    settling.end()
    guard !isLooking else {
      isStale = true
      return
    }
    isLooking = true
    isStale = false
    let paths = paths
    let libraries = libraries()
    files.submit {
      let look = ScriptLook(paths, libraries: libraries)
      self.loop.post { self.take(look) }
    }
  }

  private func take(_ look: ScriptLook) {
    isLooking = false
    // What was read counts if each way to it was watched before that, and nothing has happened
    // since: what has is looked at when it is over.
    let isUnwatched = follow(look.plan)
    inotify?.tell()
    if repeats < ScriptWatch.mostRepeats {
      repeats += 1
      if timer != nil { return }
      if isUnwatched || isStale { return self.look() }
    }
    repeats = 0
    seen(look)
  }

  /// Watches what a plan says, and nothing else; true where some of it was not watched until now.
  private func follow(_ plan: WatchPlan) -> Bool {
    guard let inotify else { return false }
    let before = watches
    watches = [:]
    for (folder, interest) in plan.folders {
      // Two paths may lead to one folder, by a mount.
      guard let watch = add(folder, interest, to: inotify) else {
        if !interest.isEmpty { complain(about: folder) }
        continue
      }
      let all = watches[watch].map { earlier in
        var all = earlier
        all.formUnion(interest)
        return all
      }
      watches[watch] = all ?? interest
      if let all { _ = add(folder, all, to: inotify) }
    }
    for watch in before.keys where watches[watch] == nil { inotify.forget(watch) }
    return watches.contains { before[$0.key] != $0.value }
  }

  /// Says once that a folder cannot be watched though it is there.
  private func complain(about folder: String) {
    guard FileKind(of: folder) == .folder, unwatchable.insert(folder).inserted else { return }
    log.write(.warn, "cannot watch \(folder): changes there are seen by `reach reload` alone")
  }

  private func add(
    _ folder: String, _ interest: WatchPlan.Interest, to inotify: Inotify
  ) -> Inotify.Watch? {
    // What happens within a folder that is only passed wakes nobody.
    inotify.watch(
      folder, for: interest.isEmpty ? .itself : [.written, .names, .attributes, .itself])
  }

  private func take(_ events: [Inotify.Event]) {
    guard events.contains(where: mayMatter) else { return }
    settling.hint(at: loop.clock.now)
    if let timer { loop.cancel(timer) }
    timer = settling.deadline.map { loop.schedule(at: $0) { [unowned self] in look() } }
  }

  private func mayMatter(_ event: Inotify.Event) -> Bool {
    // Where events were lost, anything may have happened.
    guard let watch = event.watch else { return true }
    guard let interest = watches[watch] else { return false }
    return event.name.map(interest.includes) ?? true
  }
}
