internal import Posix
internal import Synchronization

/// Names, in a file that outlives a crash, the scripts whose interpreters execute now.
///
/// An interpreter that takes the whole process with it is known by that at the next start.
public final class CrashMarker: Sendable {
  /// What it made of how the daemon ended before.
  let judgement: CrashRecord.Judgement
  /// Whether the file held something that no marker has written.
  let wasDamaged: Bool
  private let file: SharedMapping
  /// A bit for each name that is in use.
  private let taken = Atomic<UInt8>(0)

  /// Reads the marker of the life before, and begins anew.
  ///
  /// - Parameter folder: a state folder that no other daemon uses.
  /// - Throws: where the file cannot be made or mapped.
  public convenience init(inFolder folder: String) throws(ScriptError) {
    let boot = Program.bootID
    guard boot.utf8.count == CrashRecord.bootLength else {
      throw ScriptError("the kernel does not name this boot")
    }
    do throws(SystemError) { try self.init(file: "\(folder)/marker", boot: boot) } catch {
      throw ScriptError("\(error)")
    }
  }

  init(file path: String, boot: String) throws(SystemError) {
    file = try SharedMapping(ofFile: path, size: CrashRecord.size)
    let bytes = file.bytes
    let before = CrashRecord(bytes)
    wasDamaged = before == nil && bytes.contains { $0 != 0 }
    judgement = before?.judge(on: boot) ?? CrashRecord.Judgement()
    var record = CrashRecord(boot: boot)
    record.suspects = judgement.suspects
    file.write(record.bytes, at: 0)
  }

  /// Notes that a script's interpreter begins to execute.
  ///
  /// - Parameter name: as `CrashRecord.bytes(of:)` gives it.
  /// - Returns: what to give to `leave`; nil where as many execute as there are threads.
  func enter(_ name: [UInt8]) -> Int? {
    for number in 0..<CrashRecord.threads {
      let bit = UInt8(1) << UInt8(number)
      guard taken.bitwiseOr(bit, ordering: .acquiring).oldValue & bit == 0 else { continue }
      let place = CrashRecord.place(ofThread: number)
      file.write(name, at: place + 1)
      // Last, so that it never stands before half a name.
      file.write(UInt8(name.count), at: place)
      return number
    }
    return nil
  }

  /// Notes that it executes no more.
  func leave(_ number: Int) {
    file.write(0, at: CrashRecord.place(ofThread: number))
    taken.bitwiseAnd(~(UInt8(1) << UInt8(number)), ordering: .releasing)
  }

  /// Notes that this life ends as it should: the next one has nothing to judge.
  public func end() {
    // Whatever begins now has no place any more.
    taken.store(.max, ordering: .relaxed)
    for place in CrashRecord.places { file.write(0, at: place) }
  }
}
