internal import Posix

/// Keeps the addresses of host names, asking the system's resolver on threads of its own.
///
/// Lives on an event loop: all of its methods are called there.
final class NameResolver {
  private let loop: EventLoop
  private let isolate: @Sendable (@escaping @Sendable (NameResolver) -> Void) -> Void
  private let changed: (String) -> Void
  private let threads = ThreadPool(threads: 4, name: "reach-names")
  private var table = NameTable()
  private var timer: LoopTimer?

  /// - Parameters:
  ///   - loop: where the resolver lives.
  ///   - isolate: calls its argument with this resolver, on the loop, if it still lives.
  ///   - changed: is called with a name whose addresses, or whose first answer, came.
  init(
    on loop: EventLoop,
    isolate: @escaping @Sendable (@escaping @Sendable (NameResolver) -> Void) -> Void,
    changed: @escaping (String) -> Void
  ) {
    self.loop = loop
    self.isolate = isolate
    self.changed = changed
  }

  deinit { threads.close() }

  /// What is known of a name.
  subscript(name: String) -> NameTable.Entry? { table[name] }

  /// Adds a user of a name; one that is new is asked for by the next `ask`.
  func add(_ name: String) { table.add(name, at: .now) }

  /// Takes a user of a name away.
  func remove(_ name: String) { table.remove(name) }

  /// Asks for every name again, as when the way to the name servers has changed.
  func refresh() {
    table.expireAll(at: .now)
    ask()
  }

  /// Asks for the names that are due.
  func ask() {
    for name in table.beginDue(at: .now) {
      threads.submit { [isolate] in
        let answer = NameAnswer(asking: name)
        isolate { $0.take(answer, for: name) }
      }
    }
    if let timer { loop.cancel(timer) }
    timer = table.next.map { due in
      loop.schedule(at: due) { [weak self] in self?.ask() }
    }
  }

  /// Ends all asking; answers that are still to come are dropped.
  func stop() {
    if let timer { loop.cancel(timer) }
    timer = nil
    threads.close()
  }

  private func take(_ answer: NameAnswer, for name: String) {
    let isNews = table.take(answer, for: name, at: .now)
    ask()
    if isNews { changed(name) }
  }
}
