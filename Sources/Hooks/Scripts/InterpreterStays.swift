package import Posix

/// What a script's limits ask of the host.
enum ScriptNotice: Sendable {
  /// It has used up its processor time: its turns wait until then, and for `goOn`.
  case sitsOut(until: BootInstant)
  /// It has said too much: how many lines were dropped is to be said then, by `settle`.
  case dropsLines(ScriptLog, until: BootInstant)
}

/// Notes when a script's interpreter executes, and how long; in the script's turns.
///
/// Around each stay this costs two readings of a clock, and no system call but for a script that
/// uses much.
package struct InterpreterStays {
  /// A stay that has begun.
  package struct Stay {
    fileprivate let begin: BootInstant
    fileprivate let processor: Duration?
    fileprivate let mark: Int?
  }

  private let name: [UInt8]
  private let marker: CrashMarker?
  private let clock: Clock
  private var allowance = ProcessorAllowance()

  package init(of script: String, _ marker: CrashMarker?, by clock: Clock = .system) {
    name = CrashRecord.bytes(of: script)
    self.marker = marker
    self.clock = clock
  }

  /// Notes that the interpreter begins to execute.
  package func begin() -> Stay {
    Stay(
      begin: .now, processor: allowance.takesCloseLook ? ProcessorClock.now : nil,
      mark: marker?.enter(name))
  }

  /// Notes that it executes no more; returns until when the script sits out, where it does.
  package mutating func end(_ stay: Stay) -> BootInstant? {
    if let mark = stay.mark { marker?.leave(mark) }
    let end = BootInstant.now
    // What it took is measured, also where the clock of the script stands still meanwhile.
    let moment = clock.reading(at: end)
    return allowance.note(
      from: moment + (stay.begin - end), processor: stay.processor.map { ProcessorClock.now - $0 },
      to: moment)
  }
}
