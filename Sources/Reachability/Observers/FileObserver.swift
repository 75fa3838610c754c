internal import Glibc
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
  private let descriptor: FileDescriptor
  private var source: EventLoop.Source?
  private var settling = Settling(quiet: FileObserver.quiet)
  private var timer: LoopTimer?
  /// The names that matter by the number of the watch; nil for a file's own.
  private var names: [Int32: Set<String>?] = [:]

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
    let number = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard number >= 0 else { throw SystemError("watch \(paths.joined(separator: ", "))") }
    descriptor = FileDescriptor(owning: number)
    source = try loop.watch(descriptor) { [weak self] in self?.takeEvents() }
    followPaths()
  }

  /// Ends the watch; on the loop.
  func cancel() {
    if let source { loop.cancel(source) }
    if let timer { loop.cancel(timer) }
    source = nil
    timer = nil
  }

  /// Watches all that the paths lead through now, and lets go of what they led through before.
  private func followPaths() {
    let before = names
    names = [:]
    for path in paths {
      let chain = SymlinkChain(from: path)
      for watch in chain.watches { add(watch.folder, FileObserver.folderEvents, watch.name) }
      add(chain.end, FileObserver.fileEvents, nil)
    }
    for number in before.keys where names[number] == nil {
      inotify_rm_watch(descriptor.number, number)
    }
  }

  private func add(_ path: String, _ events: UInt32, _ name: String?) {
    // What is not there, or may not be read, shows in the folder above.
    let number = inotify_add_watch(descriptor.number, path, events)
    guard number >= 0 else { return }
    guard let name else {
      names[number] = .some(nil)
      return
    }
    var all = (names[number] ?? nil) ?? []
    all.insert(name)
    names[number] = all
  }

  private static let folderEvents =
    UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF)
    | UInt32(IN_MOVE_SELF | IN_ONLYDIR)
  private static let fileEvents = UInt32(IN_CLOSE_WRITE)

  private func takeEvents() {
    var matters = false
    var buffer = [UInt8](repeating: 0, count: 4096)
    while let count = try? buffer.withUnsafeMutableBytes({ try descriptor.read(into: $0) }),
      count > 0
    {
      buffer.withUnsafeBytes { bytes in
        for event in InotifyEvents(UnsafeRawBufferPointer(rebasing: bytes[..<count])) {
          if isOfInterest(event) { matters = true }
        }
      }
    }
    guard matters else { return }
    settling.hint(at: .now)
    if let timer { loop.cancel(timer) }
    timer = settling.deadline.map { loop.schedule(at: $0) { [weak self] in self?.tell() } }
  }

  private func isOfInterest(_ event: InotifyEvents.Element) -> Bool {
    // The kernel dropped events, or a watch: then anything may have changed.
    guard let known = names[event.watch], let names = known, let name = event.name else {
      return event.watch < 0 || names[event.watch] != nil
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

/// The events in what inotify(7) gave to read.
struct InotifyEvents: Sequence, IteratorProtocol {
  struct Element {
    let watch: Int32
    /// The name within a folder; nil where it is about what is watched itself.
    let name: String?
  }

  private var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

  mutating func next() -> Element? {
    let fixed = MemoryLayout<inotify_event>.size
    guard rest.count >= fixed else { return nil }
    let event = rest.loadUnaligned(as: inotify_event.self)
    guard Int(event.len) <= rest.count - fixed else { return nil }
    let name = rest[fixed..<(fixed + Int(event.len))].prefix { $0 != 0 }
    rest = UnsafeRawBufferPointer(rebasing: rest[(fixed + Int(event.len))...])
    return Element(
      watch: event.wd, name: name.isEmpty ? nil : String(decoding: name, as: UTF8.self))
  }
}
