internal import Posix

/// Tells when files may have changed, wherever symbolic links lead to them.
///
/// inotify(7) watches the folders of all steps, since a file that is replaced takes a watch of its own
/// with it; and the files themselves, since a file that is mounted over another is written to in a
/// folder that we do not see. Lives on an event loop.
final class FileObserver {
  private let paths: [String]
  private let loop: EventLoop
  private let changed: () -> Void
  private var inotify: Inotify?
  private var settling = Settling(quiet: FileObserver.quiet)
  private var timer: LoopTimer?
  /// The names that matter by the watch; nil for a file's own.
  private var names: [Inotify.Watch: Set<String>?] = [:]

  /// How long nothing must happen before a change is told: many write a file in several steps.
  static let quiet = Duration.milliseconds(50)

  /// - Parameters:
  ///   - paths: the files, from the root.
  ///   - loop: where it lives.
  ///   - changed: is called on the loop a moment after something changed.
  /// - Throws: what the kernel says where nothing can be watched.
  init(
    _ paths: [String], on loop: EventLoop, changed: @escaping () -> Void
  ) throws(SystemError) {
    self.paths = paths
    self.loop = loop
    self.changed = changed
    inotify = try Inotify(on: loop) { [weak self] in self?.take($0) }
    followPaths()
  }

  /// Ends the watch; on the loop.
  func cancel() {
    inotify?.cancel()
    inotify = nil
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  /// Watches all that the paths lead through now, and lets go of what they led through before.
  private func followPaths() {
    let before = names
    names = [:]
    for path in paths {
      let chain = SymlinkChain(from: path)
      for watch in chain.watches { add(watch.folder, FileObserver.folderKinds, watch.name) }
      add(chain.end, .written, nil)
    }
    for watch in before.keys where names[watch] == nil { inotify?.forget(watch) }
  }

  private func add(_ path: String, _ kinds: Inotify.Kinds, _ name: String?) {
    // What is not there, or may not be read, shows in the folder above.
    guard let watch = inotify?.watch(path, for: kinds) else { return }
    guard let name else {
      names[watch] = .some(nil)
      return
    }
    var all = (names[watch] ?? nil) ?? []
    all.insert(name)
    names[watch] = all
  }

  private static let folderKinds: Inotify.Kinds = [.written, .names, .itself]

  private func take(_ events: [Inotify.Event]) {
    guard events.contains(where: isOfInterest) else { return }
    settling.hint(at: .now)
    if let timer { loop.cancel(timer) }
    timer = settling.deadline.map { loop.schedule(at: $0) { [weak self] in self?.tell() } }
  }

  private func isOfInterest(_ event: Inotify.Event) -> Bool {
    guard let watch = event.watch else { return true }
    // A watch that the kernel dropped, or a file's own: then anything may have changed.
    guard let known = names[watch], let names = known, let name = event.name else {
      return names[watch] != nil
    }
    return names.contains(name)
  }

  private func tell() {
    timer = nil
    settling.end()
    followPaths()
    changed()
  }
}
