internal import Posix

/// Keeps a daemon's state in a file, on a thread of its own: disks can take their time.
///
/// What is asked for while the disk is busy is saved together. Where saving fails the daemon goes
/// on with what it has in memory, says so once, and tries again with the next change.
public actor StateKeeper {
  private nonisolated let threads = ThreadPool(threads: 1, name: "reach-state")
  private nonisolated let executor: TurnExecutor
  private let file: StateFile
  private let complain: @Sendable (String) -> Void
  private nonisolated let waiting = Lock(Waiting())
  private var isFailing = false
  /// What could not be saved yet, by what it is about.
  private var owed: [StateChange] = []

  private struct Waiting {
    var changes: [StateChange] = []
    var completions: [@Sendable (Bool) -> Void] = []
    var isScheduled = false
  }

  /// Opens the file; what it holds is read by `saved`.
  ///
  /// - Parameters:
  ///   - path: where it lies, or is to be.
  ///   - complain: takes a line that somebody should read, on any thread.
  public init(_ path: String, complain: @escaping @Sendable (String) -> Void) {
    executor = TurnExecutor(on: threads)
    file = StateFile(path, complain: complain)
    self.complain = complain
  }

  deinit { threads.close() }

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Reads what was saved; `completion` is called on the keeper's thread.
  public nonisolated func read(_ completion: @escaping @Sendable (SavedState) -> Void) {
    executor.enqueue { self.assumeIsolated { completion($0.read()) } }
  }

  /// Saves changes, all or none, and those that could not be saved before.
  ///
  /// - Parameters:
  ///   - changes: what has changed.
  ///   - completion: is called on the keeper's thread, with whether all is on the disk now.
  public nonisolated func save(
    _ changes: [StateChange], completion: @escaping @Sendable (Bool) -> Void = { _ in }
  ) {
    let schedule = waiting.withLock { waiting in
      waiting.changes += changes
      waiting.completions.append(completion)
      defer { waiting.isScheduled = true }
      return !waiting.isScheduled
    }
    if schedule { executor.enqueue { self.assumeIsolated { $0.saveWhatWaits() } } }
  }

  private func read() -> SavedState {
    do { return try file.read() } catch {
      complain("read what was saved: \(error)")
      return SavedState()
    }
  }

  private func saveWhatWaits() {
    let batch = waiting.withLock { waiting in
      defer { waiting = Waiting() }
      return waiting
    }
    do throws(DatabaseError) {
      try file.save(owed + batch.changes)
      owed = []
      if isFailing { complain("what hooks keep is saved again") }
      isFailing = false
    } catch {
      owed = StateKeeper.newest(of: owed + batch.changes)
      if !isFailing { complain("save what hooks keep: \(error); it is tried again") }
      isFailing = true
    }
    for completion in batch.completions { completion(!isFailing) }
  }

  /// The last change of each thing, in their order: what fails for long does not grow for long.
  private static func newest(of changes: [StateChange]) -> [StateChange] {
    var seen: Set<StateChange.Subject> = []
    return changes.reversed().filter { seen.insert($0.subject).inserted }.reversed()
  }
}
