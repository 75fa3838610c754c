internal import Glibc

/// Tells what happens to files and in folders; inotify(7).
///
/// Lives on an event loop, where its methods are called.
public final class Inotify {
  /// Something that is watched; two paths to one thing have one watch.
  public struct Watch: Hashable, Sendable {
    fileprivate let number: Int32
  }

  /// What can happen.
  public struct Kinds: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A file was closed by somebody who wrote to it.
    public static let written = Kinds(rawValue: UInt32(IN_CLOSE_WRITE))
    /// Something came into a folder, or went from it.
    public static let names = Kinds(
      rawValue: UInt32(IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM))
    /// Owner or mode are others.
    public static let attributes = Kinds(rawValue: UInt32(IN_ATTRIB))
    /// What is watched was itself removed or renamed.
    public static let itself = Kinds(rawValue: UInt32(IN_DELETE_SELF | IN_MOVE_SELF))
  }

  /// One thing that happened.
  public struct Event: Hashable, Sendable {
    /// Where; nil where the kernel could not keep up, so that anything may have happened.
    public let watch: Watch?
    /// The name within a folder; nil where it is about what is watched itself.
    public let name: String?
  }

  private let loop: EventLoop
  private let descriptor: FileDescriptor
  private let body: ([Event]) -> Void
  private var source: EventLoop.Source?

  /// Watches nothing yet.
  ///
  /// - Parameters:
  ///   - loop: where it lives.
  ///   - body: is called on the loop with what happened, in order.
  /// - Throws: what inotify_init1(2) says, as where the user has too many of them.
  public init(
    on loop: EventLoop, _ body: @escaping ([Event]) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.body = body
    let number = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard number >= 0 else { throw SystemError("watch files") }
    descriptor = FileDescriptor(owning: number)
    source = try loop.watch(descriptor) { [weak self] in self?.tell() }
  }

  /// Tells at once what has happened until now.
  public func tell() {
    let events = takeEvents()
    if !events.isEmpty { body(events) }
  }

  /// Watches a file or folder; nil where it is not there, may not be read or cannot be watched.
  ///
  /// What is watched already is watched for these kinds alone from now on.
  public func watch(_ path: String, for kinds: Kinds) -> Watch? {
    let number = inotify_add_watch(descriptor.number, path, kinds.rawValue)
    return number < 0 ? nil : Watch(number: number)
  }

  /// Ends a watch, also one that has ended by itself.
  public func forget(_ watch: Watch) { inotify_rm_watch(descriptor.number, watch.number) }

  /// Ends everything.
  public func cancel() {
    if let source { loop.cancel(source) }
    source = nil
  }

  private func takeEvents() -> [Event] {
    var all: [Event] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while let count = try? buffer.withUnsafeMutableBytes({ try descriptor.read(into: $0) }),
      count > 0
    {
      buffer.withUnsafeBytes { bytes in
        all += InotifyEvents(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      }
    }
    return all
  }
}

/// The events in what inotify(7) gave to read.
struct InotifyEvents: Sequence, IteratorProtocol {
  private var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

  mutating func next() -> Inotify.Event? {
    let fixed = MemoryLayout<inotify_event>.size
    guard rest.count >= fixed else { return nil }
    let event = rest.loadUnaligned(as: inotify_event.self)
    guard Int(event.len) <= rest.count - fixed else { return nil }
    let name = rest[fixed..<(fixed + Int(event.len))].prefix { $0 != 0 }
    rest = UnsafeRawBufferPointer(rebasing: rest[(fixed + Int(event.len))...])
    return Inotify.Event(
      // An overflow belongs to no watch.
      watch: event.wd < 0 ? nil : Inotify.Watch(number: event.wd),
      name: name.isEmpty ? nil : String(decoding: name, as: UTF8.self))
  }
}
