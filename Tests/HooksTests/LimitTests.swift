import Posix
import TestSupport
import Testing

@testable import Hooks

private func at(_ seconds: Double) -> BootInstant {
  BootInstant(nanoseconds: Int64(seconds * 1e9))
}

@Suite struct ProcessorAllowances {
  /// Notes stays of so many milliseconds that end at those seconds; returns when the script sits out.
  private func ends(
    _ allowance: inout ProcessorAllowance, _ stays: [(at: Double, milliseconds: Int)]
  ) -> [Double?] {
    stays.map { stay in
      let used = Duration.milliseconds(stay.milliseconds)
      let processor = allowance.takesCloseLook ? used : nil
      let end = at(stay.at)
      return allowance.note(
        from: end + .milliseconds(-stay.milliseconds), processor: processor, to: end)?.seconds
    }
  }

  @Test func `a second within ten is sat out to the end of the ten that began with the first use`()
  {
    var allowance = ProcessorAllowance()
    let stays = [(100.2, 200)] + (1...5).map { (100.2 + Double($0), 200) }
    // Of the first stay nobody knows what it used: 1 ms of it counts.
    let found = ends(&allowance, stays)
    #expect(found == [nil, nil, nil, nil, nil, 110.0])
  }

  @Test func `after the rest what lies within ten seconds counts still`() {
    var allowance = ProcessorAllowance()
    let stays = [(100.2, 200)] + (1...5).map { (100.2 + Double($0), 200) }
    _ = ends(&allowance, stays)
    // The first has gone; those of 101 s to 105 s have not.
    let found = ends(&allowance, [(110.05, 50), (111.1, 50), (111.3, 200)])
    #expect(found == [111.0, nil, 112.0])
  }

  @Test(arguments: [3, 60, 250])
  func `no ten seconds have more than a second, a stay and the grain`(milliseconds: Int) {
    var allowance = ProcessorAllowance()
    var now = 100.0
    var uses: [(begin: Double, end: Double)] = []
    while now < 140 {
      let end = now + Double(milliseconds) / 1000
      uses.append((now, end))
      now = ends(&allowance, [(end, milliseconds)])[0] ?? end
    }
    for start in stride(from: 100, to: 130, by: 0.25) {
      let within = uses.filter { $0.begin >= start && $0.end <= start + 10 }
      let used = within.reduce(0) { $0 + $1.end - $1.begin }
      #expect(used <= 1.5 + Double(milliseconds) / 1000, "from \(start)")
    }
    #expect(uses.count * milliseconds >= 4000)
  }

  @Test func `a script that uses a twentieth of the time is never held`() {
    var allowance = ProcessorAllowance()
    let found = ends(&allowance, (0..<600).map { (100 + Double($0) / 10, 5) })
    #expect(found.allSatisfy { $0 == nil })
  }

  @Test(arguments: [2, 5, 300])
  func `what a loaded machine lets it wait counts little against it`(wall: Int) {
    var allowance = ProcessorAllowance()
    for number in 0..<1000 {
      let processor: Duration? = allowance.takesCloseLook ? .microseconds(100) : nil
      let begin = at(100 + Double(number * wall) / 1000)
      let end = allowance.note(
        from: begin, processor: processor, to: begin + .milliseconds(wall))
      #expect(end == nil)
    }
  }

  @Test func `short stays need no close look, however many there are`() {
    var allowance = ProcessorAllowance()
    let found = ends(&allowance, (0..<1000).map { (100.001 + Double($0) / 500, 1) })
    #expect(!allowance.takesCloseLook)
    #expect(found.dropLast().allSatisfy { $0 == nil })
    #expect(found.last == 110)
  }

  @Test func `long stays have the next ten seconds looked at closely`() {
    var allowance = ProcessorAllowance()
    _ = ends(&allowance, [(100, 50), (100.1, 49)])
    #expect(!allowance.takesCloseLook)
    _ = ends(&allowance, [(100.2, 2)])
    #expect(allowance.takesCloseLook)
    _ = ends(&allowance, [(110.1, 1)])
    #expect(allowance.takesCloseLook)
    _ = ends(&allowance, [(110.3, 1)])
    #expect(!allowance.takesCloseLook)
  }
}

@Suite struct LogAllowances {
  /// What becomes of messages of so many lines at those seconds; of none, what is settled then.
  private func answers(_ messages: [(at: Double, lines: Int)]) -> [LogAllowance.Answer] {
    var allowance = LogAllowance()
    return messages.map { message in
      message.lines == 0
        ? .write(dropped: allowance.settle(at: at(message.at)))
        : allowance.take(message.lines, at: at(message.at))
    }
  }

  private let twenty = (0..<20).map { _ in (100.0, 1) }

  @Test func `twenty lines a second are written, and then it is said how many were not`() {
    let answers = answers(
      twenty + [(100.3, 1), (100.9, 2), (100.99, 0), (101, 1), (101, 0), (101.5, 1)])
    #expect(answers.prefix(20).allSatisfy { $0 == .write(dropped: 0) })
    #expect(
      answers.suffix(6) == [
        .dropUntil(at(101)), .drop, .write(dropped: 0), .write(dropped: 3), .write(dropped: 0),
        .write(dropped: 0),
      ])
  }

  @Test func `who falls silent has it said at the end of the second, once`() {
    let answers = answers(twenty + [(100, 5), (101, 0), (101, 0), (102, 1)])
    #expect(
      answers.suffix(4) == [
        .dropUntil(at(101)), .write(dropped: 5), .write(dropped: 0), .write(dropped: 0),
      ])
  }

  @Test func `a message of many lines is written whole, and counts with all of them`() {
    #expect(
      answers([(100, 19), (100, 50), (100, 1)])
        == [.write(dropped: 0), .write(dropped: 0), .dropUntil(at(101))])
  }
}

@Suite struct Quarantining {
  @Test func `the third kill within ten minutes is one too many`() {
    var kills = KillRecord()
    let found = [0, 599, 600, 601].map { kills.note(at: at($0)) }
    #expect(found == [false, false, false, true])
    kills.forget()
    let isTooMany = kills.note(at: at(602))
    #expect(!isTooMany)
  }

  @Test func `there is one quarantine for each script, the newest`() {
    var quarantines = Quarantines()
    let text = TextDigest(Array("print 1".utf8))
    for reason in ["first", "second"] {
      quarantines.begin(Quarantine(script: "a", reason: reason, since: 1, text: text))
    }
    quarantines.begin(Quarantine(script: "b", reason: "other", since: 2, text: nil))
    #expect(quarantines.all.map(\.reason) == ["second", "other"])
    quarantines.lift("a")
    #expect(quarantines["a"] == nil)
    #expect(quarantines["b"]?.since == 2)
  }

  @Test func `texts are told apart, and the same at each start`() {
    #expect(TextDigest([]).value == 0xcbf2_9ce4_8422_2325)
    #expect(TextDigest(Array("a".utf8)).value == 0xaf63_dc4c_8601_ec8c)
    #expect(TextDigest(Array("foobar".utf8)).value == 0x8594_4171_f739_67e8)
  }
}

@Suite struct CrashRecords {
  private let boot = "0f3a1b52-7d5e-4c0a-9b1f-2a6d8c4e9f01"

  @Test func `a record is read as it was written`() throws {
    var record = CrashRecord(boot: boot)
    #expect(CrashRecord(record.bytes) == record)
    record.suspects = ["one"]
    record.executing = ["zwölf", String(repeating: "x", count: 255)]
    #expect(CrashRecord(record.bytes) == record)
    #expect(record.bytes.count == CrashRecord.size)
  }

  @Test func `a name that is too long is cut`() throws {
    var record = CrashRecord(boot: boot)
    record.executing = [String(repeating: "y", count: 300)]
    let read = try #require(CrashRecord(record.bytes))
    #expect(read.executing == [String(repeating: "y", count: 255)])
  }

  @Test func `anything else is read as nothing, and never traps`() throws {
    var record = CrashRecord(boot: boot)
    record.suspects = ["a", "b"]
    record.executing = ["c", "d"]
    let bytes = record.bytes
    #expect(CrashRecord([]) == nil)
    #expect(CrashRecord([UInt8](repeating: 0, count: CrashRecord.size)) == nil)
    #expect(CrashRecord(Array(bytes.dropLast())) == nil)
    #expect(CrashRecord(bytes + [0]) == nil)
    var random = Seeded(7)
    for _ in 0..<5000 {
      var damaged = bytes
      for _ in 0..<1 + random.below(20) {
        damaged[random.below(damaged.count)] = UInt8(random.below(256))
      }
      _ = CrashRecord(damaged).map { CrashRecord($0.bytes) }
    }
  }

  @Test func `one life that ends inside of a script makes it a suspect, a second in a row guilty`()
  {
    var first = CrashRecord(boot: boot)
    first.executing = ["a", "a"]
    #expect(first.judge(on: boot) == CrashRecord.Judgement(guilty: [], suspects: ["a"]))
    var second = CrashRecord(boot: boot)
    second.suspects = ["a"]
    second.executing = ["b", "a"]
    #expect(second.judge(on: boot) == CrashRecord.Judgement(guilty: ["a"], suspects: ["b"]))
    var other = second
    other.executing = ["b"]
    #expect(other.judge(on: boot) == CrashRecord.Judgement(guilty: [], suspects: ["b"]))
  }

  @Test func `another boot judges nothing`() {
    var record = CrashRecord(boot: boot)
    record.suspects = ["a"]
    record.executing = ["a"]
    let other = "1" + boot.dropFirst()
    #expect(record.judge(on: other) == CrashRecord.Judgement())
  }

  @Test func `a marker knows the scripts that executed when the life before ended`() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/marker"
    func life() throws -> CrashMarker { try CrashMarker(file: path, boot: boot) }
    let name = CrashRecord.bytes(of: "a")
    let first = try life()
    #expect(first.judgement == CrashRecord.Judgement())
    let places = [first.enter(name), first.enter(CrashRecord.bytes(of: "b"))]
    #expect(places == [0, 1])
    #expect(first.enter(name) == nil)
    first.leave(1)
    // Lives end here as a kill ends them: nobody writes anything.
    let second = try life()
    #expect(second.judgement.suspects == ["a"])
    _ = second.enter(name)
    let third = try life()
    #expect(third.judgement == CrashRecord.Judgement(guilty: ["a"], suspects: []))
    _ = third.enter(name)
    third.end()
    #expect(third.enter(name) == nil)
    #expect(try life().judgement == CrashRecord.Judgement())
  }

  @Test func `a life that ends outside of every script clears the suspicion`() throws {
    let folder = try TemporaryFolder()
    func life() throws -> CrashMarker {
      try CrashMarker(file: "\(folder.path)/marker", boot: boot)
    }
    let name = CrashRecord.bytes(of: "a")
    _ = try life().enter(name)
    _ = try life()
    _ = try life().enter(name)
    #expect(try life().judgement == CrashRecord.Judgement(guilty: [], suspects: ["a"]))
  }

  @Test func `a damaged marker is set anew`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("marker", "reach marker 1\nand no more")
    let marker = try CrashMarker(file: path, boot: boot)
    #expect(marker.wasDamaged)
    #expect(marker.judgement == CrashRecord.Judgement())
    let again = try CrashMarker(file: path, boot: boot)
    #expect(!again.wasDamaged)
    let new = try CrashMarker(file: "\(folder.path)/other", boot: boot)
    #expect(!new.wasDamaged)
  }
}
