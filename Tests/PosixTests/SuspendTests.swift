import TestSupport
import Testing

@testable import Posix

@Suite struct SuspendMeters {
  /// Tells after each reading of (at least, at most) milliseconds whether there was a suspend.
  private func found(_ readings: [(Int, Int)]) -> [Bool] {
    let rest = Lock(readings[...])
    var meter = SuspendMeter {
      let (least, most) = rest.withLock { $0.popFirst() } ?? (0, 0)
      return SuspendMeter.Reading(atLeast: .milliseconds(least), atMost: .milliseconds(most))
    }
    return readings.dropFirst().map { _ in meter.wasSuspended() }
  }

  @Test func `a suspend is found once`() {
    #expect(found([(0, 0), (0, 0), (5000, 5000), (5000, 5000)]) == [false, true, false])
  }

  @Test func `a reading that was itself interrupted is not taken for one`() {
    #expect(found([(0, 0), (-40, 40), (0, 0), (-900, 3), (0, 0)]).allSatisfy { !$0 })
    #expect(found([(0, 40), (30, 45), (60, 60)]) == [false, true])
  }

  @Test func `the real clocks of a machine that is awake find none`() {
    var meter = SuspendMeter { .now }
    #expect((0..<10000).allSatisfy { _ in !meter.wasSuspended() })
  }
}

@Suite struct Resumes {
  private final class Sleep: Sendable {
    private let slept = Lock(Duration.zero)
    var reading: SuspendMeter.Reading {
      slept.withLock { SuspendMeter.Reading(atLeast: $0, atMost: $0) }
    }
    func sleep() { slept.withLock { $0 += .seconds(60) } }
  }

  @Test func `a resume is told before what came due meanwhile, in order, once`() throws {
    let sleep = Sleep()
    let loop = try EventLoop(suspended: { sleep.reading })
    let record = Record<String>()
    loop.post {
      for name in ["first", "second"] { _ = loop.watchResume { record.note(name) } }
      _ = loop.schedule(at: .now + .milliseconds(20)) { record.note("timer") }
      _ = loop.schedule(at: .now + .milliseconds(40)) { loop.stop() }
      sleep.sleep()
      loop.post { record.note("work") }
    }
    loop.run()
    #expect(record.all == ["first", "second", "work", "timer"])
  }

  @Test func `one who cancels is not told`() throws {
    let sleep = Sleep()
    let loop = try EventLoop(suspended: { sleep.reading })
    let record = Record<String>()
    loop.post {
      let watch = loop.watchResume { record.note("cancelled") }
      _ = loop.watchResume { record.note("told") }
      loop.cancel(watch)
      sleep.sleep()
      _ = loop.schedule(at: .now + .milliseconds(10)) { loop.stop() }
    }
    loop.run()
    #expect(record.all == ["told"])
  }
}

@Suite struct ClockChanges {
  @Test func `a clock knows how long the machine has slept`() {
    let clock = Clock(standingAt: 0)
    #expect(clock.timeSuspended == .zero)
    clock.sleep(for: .seconds(90))
    clock.advance(to: clock.now + .seconds(10))
    #expect(clock.timeSuspended == .seconds(90))
    #expect(Clock.system.timeSuspended > .seconds(-1))
  }

  @Test(arguments: [0, 1_767_614_400, 253_402_300_799] as [Int64])
  func `a clock shows the time that it was set to, and goes on from there`(time: Int64) {
    let clock = Clock(standingAt: time)
    #expect(clock.seconds == time)
    #expect(clock.instant(at: time + 3600) == clock.now + .seconds(3600))
    clock.advance(to: clock.now + .milliseconds(3_600_500))
    #expect(clock.seconds == time + 3600)
    #expect(clock.instant(at: time) == clock.now)
  }

  @Test func `a wall clock that is set is told to those who asked, and a resume is not`() throws {
    var watches = try ResumeWatches(suspended: { .now })
    let record = Record<String>()
    watches.add(1) { record.note("resume") }
    watches.addClockWatch { record.note("clock") }
    for body in watches.takeClockChange() { body() }
    #expect(record.all == ["clock"])
  }

  @Test func `an instant is that at which the wall clock shows a time`() {
    let instant = WallClock.instant(at: WallClock.seconds + 60)
    let left = instant - .now
    #expect(left > .seconds(58) && left <= .seconds(60))
    #expect(WallClock.instant(at: 0) <= .now)
  }
}
