internal import Posix

/// The host names that are watched, what is known of each, and when each is to be asked for; time is
/// an argument.
///
/// Each step about one name takes logarithmic time.
struct NameTable {
  /// Who is asked for a name.
  enum Source: Hashable {
    /// Nobody: the hosts file holds it.
    case file
    case nameservers
    /// The C library.
    case system
  }

  /// What is known of a name.
  struct Entry {
    /// Its addresses; those last known stay where a later query fails.
    var addresses: [IPAddress] = []
    /// Whether a query has ended, with or without an answer.
    var isAnswered = false
    fileprivate(set) var source: Source
    fileprivate var users = 0
    /// The number of the question that is under way.
    fileprivate var asking: UInt64?
    /// Whether what is under way cannot be believed for long: the way has changed since it began.
    fileprivate var isStale = false
    /// Since when it is said that it is not there, though addresses are known.
    fileprivate var absentSince: BootInstant?
    /// How many questions in a row have failed, or found nothing.
    fileprivate var failures = 0
  }

  /// A question to be asked, or under way.
  struct Question: Equatable {
    let name: String
    /// Whether it is the first about this name.
    let isFirst: Bool
    fileprivate let number: UInt64
  }

  /// Names by when they are due; those that were never asked for by when they came.
  private struct Waiting {
    var new = DueQueue<String>()
    var known = DueQueue<String>()
  }

  private var entries: [String: Entry] = [:]
  private var waiting: [Source: Waiting] = [:]
  private var lastNumber: UInt64 = 0

  /// How long an answer is believed, whatever lifetime it tells.
  static let lifetimes = Duration.seconds(30)...Duration.seconds(3600)
  /// How long after the first word that a name is not there a second one is believed.
  static let confirmation = Duration.seconds(30)
  /// How long to wait after a first question that failed; twice as long after each further one.
  static let firstRetry = Duration.seconds(2)
  /// How long to wait at most after questions that failed.
  static let longestRetry = Duration.seconds(60)
  /// How long to wait for a name that is not there, at first and at most.
  static let absences = Duration.seconds(30)...Duration.seconds(300)

  subscript(name: String) -> Entry? { entries[name] }

  /// All names.
  var names: some Collection<String> { entries.keys }

  // MARK: Names

  /// Adds a user of a name; true where it is new, and wants a source.
  mutating func add(_ name: String) -> Bool {
    let isNew = entries[name] == nil
    entries[name, default: Entry(source: .file)].users += 1
    return isNew
  }

  /// Takes a user of a name away, and the name with its last one.
  mutating func remove(_ name: String) {
    entries[name]?.users -= 1
    guard let entry = entries[name], entry.users == 0 else { return }
    withdraw(name, from: entry.source)
    entries[name] = nil
  }

  /// Has a name asked for at a source, at once.
  mutating func assign(_ name: String, to source: Source, at now: BootInstant) {
    guard let entry = entries[name] else { return }
    withdraw(name, from: entry.source)
    entries[name]?.source = source
    entries[name]?.asking = nil
    entries[name]?.failures = 0
    queue(name, at: now)
  }

  /// Takes in what the hosts file holds of a name, for which nobody is asked then; true where that
  /// changes what is known.
  mutating func assign(_ name: String, addresses: [IPAddress]) -> Bool {
    guard let entry = entries[name] else { return false }
    withdraw(name, from: entry.source)
    var known = Entry(addresses: addresses, isAnswered: true, source: .file)
    known.users = entry.users
    entries[name] = known
    return entry.addresses != addresses || !entry.isAnswered
  }

  // MARK: Questions

  /// When the next question to a source is due; known names only where they may be asked for.
  func next(of source: Source) -> (new: BootInstant?, known: BootInstant?) {
    (waiting[source]?.new.first?.instant, waiting[source]?.known.first?.instant)
  }

  /// The next question that is due to a source, which counts as under way until `take` or `release`.
  ///
  /// - Parameters:
  ///   - source: who is asked.
  ///   - now: the present.
  ///   - mayRepeat: whether a name may be asked for that was asked for before.
  /// - Returns: nil where nothing is due.
  mutating func begin(
    at source: Source, at now: BootInstant, mayRepeat: Bool = true
  ) -> Question? {
    if let first = waiting[source]?.new.first, first.instant <= now {
      waiting[source]?.new.remove(first.key)
      return question(first.key, isFirst: true)
    }
    guard mayRepeat, let first = waiting[source]?.known.first, first.instant <= now else {
      return nil
    }
    waiting[source]?.known.remove(first.key)
    return question(first.key, isFirst: false)
  }

  /// Gives a question up: its name is due again.
  mutating func release(_ question: Question, at now: BootInstant) {
    guard entries[question.name]?.asking == question.number else { return }
    entries[question.name]?.asking = nil
    entries[question.name]?.isStale = false
    queue(question.name, at: now)
  }

  /// Takes in the answer to a question; true where it changes what is known.
  mutating func take(_ answer: NameAnswer, to question: Question, at now: BootInstant) -> Bool {
    let name = question.name
    guard var entry = entries[name], entry.asking == question.number else { return false }
    let before = (entry.addresses, entry.isAnswered)
    entry.asking = nil
    entry.isAnswered = true
    let wait = entry.take(answer, at: now)
    let due = entry.isStale ? now : now + wait
    entry.isStale = false
    entries[name] = entry
    waiting[entry.source, default: Waiting()].known.set(name, at: due)
    return before != (entry.addresses, entry.isAnswered)
  }

  // MARK: Changes of the way

  /// Makes every name due, as when the way to those who are asked has changed.
  mutating func expireAll(at now: BootInstant) {
    for (name, entry) in entries where entry.source != .file {
      entries[name]?.failures = 0
      if entry.asking != nil {
        entries[name]?.isStale = true
      } else {
        queue(name, at: now)
      }
    }
  }

  /// Counts every name of a source that waits for its first question as answered, since nobody
  /// answers; the names.
  mutating func concede(_ source: Source) -> [String] {
    let conceded = entries.filter { $0.value.source == source && !$0.value.isAnswered }.keys
    for name in conceded { entries[name]?.isAnswered = true }
    return Array(conceded)
  }

  // MARK: -

  private mutating func question(_ name: String, isFirst: Bool) -> Question {
    lastNumber += 1
    entries[name]?.asking = lastNumber
    return Question(name: name, isFirst: isFirst, number: lastNumber)
  }

  /// Makes a name due; one that was never answered before all others.
  private mutating func queue(_ name: String, at instant: BootInstant) {
    guard let entry = entries[name], entry.source != .file else { return }
    let isNew = waiting[entry.source]?.new.contains(name) == true || !entry.isAnswered
    if isNew {
      waiting[entry.source, default: Waiting()].new.set(name, at: instant)
    } else {
      waiting[entry.source, default: Waiting()].known.set(name, at: instant)
    }
  }

  private mutating func withdraw(_ name: String, from source: Source) {
    waiting[source]?.new.remove(name)
    waiting[source]?.known.remove(name)
  }
}

extension NameTable.Entry {
  /// Takes in an answer, and says how long to wait until the next question.
  fileprivate mutating func take(_ answer: NameAnswer, at now: BootInstant) -> Duration {
    switch answer {
    case .addresses(let found, let lifetime, let unanswered):
      absentSince = nil
      let kept = unanswered.map { family in addresses.filter { $0.family == family } } ?? []
      addresses = Array((found + kept).sorted().prefix(DNSAnswer.mostAddresses))
      let believed = min(
        max(lifetime, NameTable.lifetimes.lowerBound), NameTable.lifetimes.upperBound)
      guard unanswered != nil else {
        failures = 0
        return believed
      }
      return min(believed, retry(from: NameTable.firstRetry, to: NameTable.longestRetry))
    case .absent where !addresses.isEmpty:
      let since = absentSince ?? now
      guard now - since >= NameTable.confirmation else {
        absentSince = since
        return NameTable.confirmation - (now - since)
      }
      addresses = []
      absentSince = nil
      failures = 0
      return retry(from: NameTable.absences.lowerBound, to: NameTable.absences.upperBound)
    case .absent:
      return retry(from: NameTable.absences.lowerBound, to: NameTable.absences.upperBound)
    case .failure:
      return retry(from: NameTable.firstRetry, to: NameTable.longestRetry)
    }
  }

  /// Twice as long each time, from the first to the longest.
  private mutating func retry(from first: Duration, to longest: Duration) -> Duration {
    defer { failures += 1 }
    return min(longest, first * (1 << min(failures, 16)))
  }
}
