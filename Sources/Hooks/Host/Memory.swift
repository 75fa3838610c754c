internal import Posix
internal import Storage

/// What outlives scripts: what they keep, and what their hooks were told.
///
/// It is at hand here, and in a file where there is one. Only the loop's thread touches it; another
/// hands it back there.
final class Memory: @unchecked Sendable {
  private let keeper: StateKeeper?
  private let loop: EventLoop
  private let boot: String
  /// All that there is to remember.
  private(set) var state: SavedState
  /// What is to be saved together.
  private var changes: [StateChange] = []
  /// Whether that is about to happen.
  private var isSaving = false
  /// When what could not be saved is tried again.
  private var retry: LoopTimer?
  private static let pause = Duration.seconds(5)
  /// What waits for the keeper, which answers in order.
  private var completions = FIFO<() -> Void>()

  /// - Parameters:
  ///   - keeper: what saves it; nil where it is to end with the process.
  ///   - loop: where it lives.
  ///   - boot: what identifies the machine's present boot.
  ///   - state: what it remembers from before; what a keeper reads takes its place.
  init(
    _ keeper: StateKeeper?, on loop: EventLoop, boot: String = Program.bootID,
    state: SavedState = SavedState()
  ) {
    self.keeper = keeper
    self.loop = loop
    self.boot = boot
    self.state = state
  }

  /// Reads what was saved, then calls `completion` on the loop.
  ///
  /// What hooks were told before this boot is forgotten, unless it is owed.
  func read(_ completion: @escaping () -> Void) {
    guard let keeper else {
      forgetEarlierBoots()
      return completion()
    }
    completions.append(completion)
    keeper.read { saved in
      self.loop.post {
        self.state = saved
        self.forgetEarlierBoots()
        self.complete()
      }
    }
  }

  private func forgetEarlierBoots() {
    for (key, text) in state.told where Told(text, boot: boot) == nil {
      note(.told(key, nil))
    }
  }

  // MARK: Contents

  /// What a script keeps, as its text.
  func store(of script: String) -> String? { state.stores[script] }

  /// What a hook was told last.
  func told(of hook: SavedState.HookKey) -> Told? {
    state.told[hook].flatMap { Told($0, boot: boot) }
  }

  /// Takes note of what a script keeps now.
  func note(store text: String, of script: String) { note(.store(script: script, text)) }

  /// Takes note of what a hook was told.
  func note(told: Told, of hook: SavedState.HookKey) {
    note(.told(hook, told.text(boot: boot)))
  }

  /// The scripts that are not run.
  var quarantines: Quarantines {
    var quarantines = Quarantines()
    let saved = state.quarantines.compactMap { Quarantine($0.value, of: $0.key) }
    for quarantine in saved.sorted(by: { $0.since < $1.since }) { quarantines.begin(quarantine) }
    return quarantines
  }

  /// Takes note of a script's quarantine; nil where it has none.
  func note(_ quarantine: Quarantine?, of script: String) {
    note(.quarantine(script: script, quarantine?.json))
  }

  /// Saves a change, all or none with what else is noted before the loop comes round.
  private func note(_ change: StateChange) {
    state.apply(change)
    guard keeper != nil else { return }
    changes.append(change)
    guard !isSaving else { return }
    isSaving = true
    loop.post {
      self.isSaving = false
      if !self.changes.isEmpty { self.save() }
    }
  }

  // MARK: Saving

  /// Calls `completion` on the loop once all that was noted so far is saved: at once where it is.
  func save(then completion: @escaping () -> Void) {
    guard !changes.isEmpty || !completions.isEmpty else { return completion() }
    save(completion)
  }

  private func save(_ completion: @escaping () -> Void = {}) {
    guard let keeper else { return completion() }
    completions.append(completion)
    let changes = changes
    self.changes = []
    keeper.save(changes) { isSaved in
      self.loop.post {
        if !isSaved { self.saveLater() }
        self.complete()
      }
    }
  }

  /// Tries again after a while, since a disk may have room then.
  private func saveLater() {
    guard retry == nil else { return }
    retry = loop.schedule(at: loop.clock.now + Memory.pause) {
      self.retry = nil
      self.save()
    }
  }

  private func complete() { completions.popFirst()?() }
}
