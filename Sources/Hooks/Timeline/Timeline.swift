public import Reachability

/// What happens to targets and to the machine, moment after moment, as a text that people can write.
///
/// ```
/// # The train enters a tunnel.
/// @start 2026-11-30T18:00:00
/// 0     internet reachable wifi interface=wlan0 ssid=Train
/// 95.5  internet unreachable reason=no-carrier
/// 95.5  "my nas" unreachable reason=timeout cause=remote
/// 120   @suspend 1h
/// 3720  internet reachable wwan interface=wwan0 cause=resume
/// ```
///
/// - A line is `SECONDS TARGET STATUS [VIA] [KEY=VALUE…]`: from then on that verdict stands.
///   SECONDS are a decimal number, never less than on the line before; lines with the same SECONDS
///   are one moment, in which each target has one line. KEYs are those of `VerdictFields`.
/// - `SECONDS @suspend DURATION`: the machine sleeps for so long, and SECONDS run on meanwhile.
///   `SECONDS @restart`: the daemon ends and starts anew. `SECONDS @boot`: the machine starts anew,
///   and no target is judged yet. Each is the last of its moment.
/// - `@start TIME`, before all these: what the clock on the wall shows at second 0, as `WallTime`
///   reads it.
/// - A name or value stands in quotes where it holds blanks, quotes or nothing, and a name also
///   where it begins with `#` or `@`. Within quotes `\"`, `\\`, `\n`, `\t`, `\r` and `\u{…}` stand
///   for a character.
/// - A `#` at the beginning of a word begins a comment, which ends with the line.
public struct Timeline: Hashable, Sendable {
  /// What the clock on the wall shows at second 0; nil where nobody says.
  public var start: WallTime?
  /// What happens, each moment later than the one before.
  public var moments: [Moment]

  /// A timeline, built by hand.
  public init(start: WallTime? = nil, moments: [Moment] = []) {
    self.start = start
    self.moments = moments
  }

  /// What happens at one time.
  public struct Moment: Hashable, Sendable {
    /// How long after second 0.
    public var time: Duration
    /// The verdicts that stand from then on, of each target one at most.
    public var changes: [Change]
    /// What happens to the machine after that.
    public var event: MachineEvent?

    /// A moment, built by hand.
    public init(_ time: Duration, _ changes: [Change] = [], then event: MachineEvent? = nil) {
      self.time = time
      self.changes = changes
      self.event = event
    }

    /// When the next moment can be at the earliest; the next one is later unless the machine sleeps.
    var end: Duration {
      if case .suspend(let duration)? = event { time + duration } else { time }
    }
  }

  /// A verdict that a target has from a moment on.
  public struct Change: Hashable, Sendable {
    /// The target's name, as hooks declare it.
    public var target: String
    /// What is claimed of it; its path has none of the kernel's numbers.
    public var verdict: Verdict

    /// A change, built by hand.
    public init(_ target: String, _ verdict: Verdict) {
      self.target = target
      self.verdict = verdict
    }
  }

  /// What happens to the machine that hooks run on.
  public enum MachineEvent: Hashable, Sendable {
    /// It sleeps for so long, longer than nothing, in which nothing runs.
    case suspend(Duration)
    /// The daemon ends and starts anew; what stands for targets is as it was.
    case restart
    /// The machine starts anew: what hooks were told is forgotten, and no target is judged yet.
    case boot
  }

  /// The names of the targets, in the order in which they first occur.
  public var targets: [String] {
    var known: Set<String> = []
    return moments.flatMap(\.changes).map(\.target).filter { known.insert($0).inserted }
  }
}

/// A text that is no timeline: file, line, what is wrong there, and the nearest right thing.
public struct TimelineError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, and where.
  public let description: String

  init(_ file: String, _ line: Int, _ fault: String) {
    description = "\(file):\(line): \(fault)".printable
  }
}
