internal import Posix

/// The host names that are watched, and what is known of each; time is an argument.
struct NameTable {
  /// What is known of a name.
  struct Entry {
    /// Its addresses; those last known stay where a later query fails.
    var addresses: [IPAddress] = []
    /// Whether a query has ended, with or without an answer.
    var isAnswered = false
    fileprivate var isAsking = false
    /// Whether the way to the name servers changed while it was being asked for.
    fileprivate var isStale = false
    fileprivate var due: BootInstant
    fileprivate var users = 0
  }

  private var entries: [String: Entry] = [:]

  /// How long an answer of the system's resolver, which tells no lifetime, is believed.
  static let refresh = Duration.seconds(300)
  /// How long to wait after a query that failed.
  static let retry = Duration.seconds(10)

  subscript(name: String) -> Entry? { entries[name] }

  /// Adds a user of a name, which is then due at once if it is new.
  mutating func add(_ name: String, at now: BootInstant) {
    entries[name, default: Entry(due: now)].users += 1
  }

  /// Takes a user of a name away, and the name with its last one.
  mutating func remove(_ name: String) {
    entries[name]?.users -= 1
    if entries[name]?.users == 0 { entries[name] = nil }
  }

  /// Makes every name due, as when the way to the name servers has changed.
  mutating func expireAll(at now: BootInstant) {
    for name in entries.keys {
      guard var entry = entries[name] else { continue }
      entry.due = now
      entry.isStale = entry.isAsking
      entries[name] = entry
    }
  }

  /// The names to be asked for now; they count as being asked for until `take`.
  mutating func beginDue(at now: BootInstant) -> [String] {
    let due = entries.filter { !$0.value.isAsking && $0.value.due <= now }.keys.sorted()
    for name in due { entries[name]?.isAsking = true }
    return due
  }

  /// Takes in an answer; true where it changes what is known.
  mutating func take(_ answer: NameAnswer, for name: String, at now: BootInstant) -> Bool {
    guard var entry = entries[name] else { return false }
    let before = (entry.addresses, entry.isAnswered)
    entry.isAsking = false
    entry.isAnswered = true
    switch answer {
    case .addresses(let addresses):
      entry.addresses = addresses
      entry.due = now + NameTable.refresh
    case .failure:
      entry.due = now + NameTable.retry
    }
    if entry.isStale { entry.due = now }
    entry.isStale = false
    entries[name] = entry
    return before != (entry.addresses, entry.isAnswered)
  }

  /// When the next name falls due.
  var next: BootInstant? { entries.values.lazy.filter { !$0.isAsking }.map(\.due).min() }
}
