internal import Glibc

/// A fixed number of threads that take work in the order in which it came.
///
/// Threads start when work first waits for them, and then wait for more; they end once `close` was
/// called and all work is done. What waits is bounded by those who submit it.
public final class ThreadPool: Sendable {
  private let name: String
  private let limit: Int
  private let shared = ConditionLock(Shared())

  fileprivate struct Shared {
    var waiting = FIFO<@Sendable () -> Void>()
    var threads = 0
    var idle = 0
    /// Threads that stay awake without work.
    var lingering = 0
    var closed = false
    /// Until when threads stay awake for work that is about to come.
    var anticipated: BootInstant?
    /// How often each thread has begun or ended a piece of work: odd while it works.
    var changes: [UInt64] = []
    var questions: [Question] = []
  }

  /// Somebody who wants to know when threads have ended what they do now.
  fileprivate struct Question {
    var waitsFor: [(thread: Int, change: UInt64)]
    let answer: @Sendable () -> Void
  }

  fileprivate enum Step {
    case work(@Sendable () -> Void)
    /// Tell those who waited for the end of the work before.
    case answer([@Sendable () -> Void])
    /// Stay awake for a while longer.
    case linger
    case end
  }

  /// What a thread does.
  fileprivate enum Activity {
    case works, sleeps, lingers
  }

  /// A pool of at most `threads` threads, each of that name (15 bytes are shown by the system).
  public init(threads: Int, name: String) {
    self.limit = threads
    self.name = name
  }

  /// Has a thread do the work, after all that was submitted before.
  ///
  /// Where no thread can be started, those that run do the work; where none runs, it waits for the
  /// next submission.
  public func submit(_ work: @escaping @Sendable () -> Void) {
    let (wake, grow) = shared.withLock { shared in
      shared.waiting.append(work)
      let grow = shared.waiting.count > shared.idle + shared.lingering && shared.threads < limit
      if grow { shared.threads += 1 }
      return (shared.waiting.count > shared.lingering, grow)
    }
    if wake { shared.wakeOne() }
    guard grow else { return }
    do { try Thread.start(named: name) { self.serve() } } catch {
      shared.withLock { $0.threads -= 1 }
    }
  }

  /// Wakes a thread for work that is about to be submitted, since waking takes longer than most work
  /// does; where none comes, it sleeps again after a moment.
  public func anticipate() {
    let isWorthwhile = shared.withLock { shared in
      guard shared.idle > 0, shared.waiting.isEmpty else { return false }
      shared.anticipated = BootInstant.now + ThreadPool.patience
      return true
    }
    if isWorthwhile { shared.wakeOne() }
  }

  /// Calls `answer` once no thread does any more what it does now: at once, or from the last of them
  /// when it has ended that; never where one never does.
  public func whenAllHaveAnswered(_ answer: @escaping @Sendable () -> Void) {
    let isIdle = shared.withLock { shared in
      let busy = shared.changes.enumerated().filter { $0.element % 2 == 1 }
      guard !busy.isEmpty else { return true }
      shared.questions.append(
        Question(waitsFor: busy.map { ($0.offset, $0.element) }, answer: answer))
      return false
    }
    if isIdle { answer() }
  }

  /// Blocks until no thread does any more what it does now.
  func awaitAnswers() {
    let hasAnswered = ConditionLock(false)
    whenAllHaveAnswered {
      hasAnswered.withLock { $0 = true }
      hasAnswered.wakeAll()
    }
    hasAnswered.wait { $0 ? () : nil }
  }

  /// Whether nothing waits for a thread, and none does anything.
  var isIdle: Bool {
    shared.withLock { $0.waiting.isEmpty && $0.changes.allSatisfy { $0 % 2 == 0 } }
  }

  /// How long a thread that was woken ahead stays awake without work.
  private static let patience = Duration.microseconds(200)

  /// Lets the threads end once all work is done.
  public func close() {
    shared.withLock { $0.closed = true }
    shared.wakeAll()
  }

  private func serve() {
    var activity = Activity.works
    let number = shared.withLock { shared in
      shared.changes.append(0)
      return shared.changes.count - 1
    }
    while true {
      switch shared.wait(for: { $0.nextStep(of: number, after: &activity) }) {
      case .work(let work): work()
      case .answer(let answers): for answer in answers { answer() }
      case .linger: sched_yield()
      case .end: return
      }
    }
  }
}

extension ThreadPool.Shared {
  /// What a thread does next; nil where it is to sleep.
  fileprivate mutating func nextStep(
    of thread: Int, after activity: inout ThreadPool.Activity
  ) -> ThreadPool.Step? {
    if changes[thread] % 2 == 1 {
      changes[thread] += 1
      if !questions.isEmpty, let answers = finishedAnswers() { return .answer(answers) }
    }
    switch activity {
    case .works: break
    case .sleeps: idle -= 1
    case .lingers: lingering -= 1
    }
    activity = .works
    if let work = waiting.popFirst() {
      anticipated = nil
      changes[thread] += 1
      return .work(work)
    }
    if closed {
      threads -= 1
      return .end
    }
    guard let end = anticipated else {
      activity = .sleeps
      idle += 1
      return nil
    }
    if end < .now { anticipated = nil }
    activity = .lingers
    lingering += 1
    return .linger
  }

  /// What is to be answered now that a thread has ended its work; nil for nothing.
  private mutating func finishedAnswers() -> [@Sendable () -> Void]? {
    for index in questions.indices {
      questions[index].waitsFor.removeAll { changes[$0.thread] != $0.change }
    }
    let answered = questions.filter(\.waitsFor.isEmpty).map(\.answer)
    questions.removeAll(where: \.waitsFor.isEmpty)
    return answered.isEmpty ? nil : answered
  }
}
