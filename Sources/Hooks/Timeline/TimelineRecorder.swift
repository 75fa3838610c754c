public import Posix
public import Reachability

/// Writes what happens to watched targets as the lines of a timeline, to the millisecond.
///
/// Second 0 is the first that happens.
public struct TimelineRecorder {
  private let offset: (Int64) -> Int64
  private var origin: BootInstant?
  /// The milliseconds from which on the next moment is one of its own.
  private var earliest: Int64 = 0

  /// Nothing has happened yet.
  ///
  /// - Parameter offset: how many seconds local time is ahead of UTC at a moment, given in Unix
  ///   seconds.
  public init(offset: @escaping (Int64) -> Int64 = WallClock.offset(at:)) { self.offset = offset }

  /// Takes note of all transitions of one moment, by the targets' names; returns its lines.
  public mutating func note(_ news: [(target: String, transition: Transition)]) -> String {
    guard let first = news.first?.transition else { return "" }
    var moment = Timeline.Moment(.zero)
    for (target, transition) in news {
      moment.changes.removeAll { $0.target == target }
      moment.changes.append(Timeline.Change(target, transition.to))
    }
    var start = ""
    if origin == nil {
      origin = first.instant
      start = Timeline(start: WallTime(first.time, offset: offset(first.time))).text
    }
    let time = max(earliest, milliseconds(at: first.instant))
    earliest = time + 1
    moment.time = .milliseconds(time)
    return start + moment.text
  }

  /// Takes note that the machine has slept for so long until now; returns the line that says so.
  public mutating func note(suspendOf duration: Duration, until now: BootInstant) -> String {
    guard origin != nil else { return "" }
    let end = milliseconds(at: now)
    let begin = max(earliest, end - duration.nanoseconds / 1_000_000)
    guard begin < end else { return "" }
    earliest = end
    return Timeline.Moment(
      .milliseconds(begin), then: .suspend(.milliseconds(end - begin))
    ).text
  }

  private func milliseconds(at instant: BootInstant) -> Int64 {
    origin.map { (instant - $0).nanoseconds / 1_000_000 } ?? 0
  }
}
