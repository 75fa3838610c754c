internal import Fuzzing
@testable internal import Hooks

/// The file that says in which scripts the daemon ended, whatever it holds.
@main enum CrashMarkerFile: Fuzzer {
  static func check(_ input: Input) {
    let size = CrashRecord.size
    let bytes = Array(input.bytes.prefix(size))
    // Names lie behind what inputs reach by their length alone.
    let padded = bytes + [UInt8](repeating: 0, count: size - bytes.count)
    expect(bytes.count == size || CrashRecord(bytes) == nil, "a file of another size is damaged")
    guard let record = CrashRecord(padded) else { return }
    expect(record.suspects.count <= CrashRecord.threads, "no more suspects than threads")
    expect(record.executing.count <= CrashRecord.threads, "no more scripts than threads")
    guard let again = CrashRecord(record.bytes) else {
      return expect(false, "what was read and written is read again")
    }
    let judgement = again.judge(on: record.boot)
    expect(
      Set(judgement.guilty).isDisjoint(with: judgement.suspects), "nobody is both")
    expect(record.judge(on: "") == CrashRecord.Judgement(), "another boot judges nothing")
  }
}
