import Glibc
import Observation
import TestSupport
import Testing

@testable import Posix
@testable import Reachability

/// An instance whose verdicts the test makes up.
private struct Scripted {
  let reachability = NetworkReachability()
  let round: Int

  init() { round = reachability.broadcast.begin() }

  /// A path through the interface of that number: another number is a change.
  func tell(_ number: Int) {
    var path = Path()
    path.flags = .reachable
    path.interface = "eth\(number)"
    reachability.broadcast.take(Verdict(.reachable, path: path), ofRound: round)
  }
}

private func number(_ state: NetworkReachability.State) -> Int {
  state.path.interface.flatMap { Int($0.dropFirst(3)) } ?? -1
}

@Suite struct Broadcasts {
  @Test func `what is no change is not told`() {
    let scripted = Scripted()
    let told = Record<Int>()
    scripted.reachability.onChange = { told.note(number($0)) }
    for step in [1, 1, 2, 2, 2, 1] { scripted.tell(step) }
    #expect(eventually { told.all == [1, 2, 1] })
    usleep(20_000)
    #expect(told.all == [1, 2, 1])
  }

  @Test func `of what a slow closure does not take the newest hundred are kept, in order`() {
    let scripted = Scripted()
    let told = Record<Int>()
    let free = Handover<Bool>()
    scripted.reachability.onChange = { state in
      told.note(number(state))
      if told.all.count == 1 { _ = free.wait() }
    }
    scripted.tell(0)
    #expect(eventually { told.all == [0] })
    for step in 1...1000 { scripted.tell(step) }
    free.put(true)
    #expect(eventually { told.all.count == 101 })
    usleep(20_000)
    #expect(told.all == [0] + Array(901...1000))
  }

  @Test func `what is equal once the rest was dropped is told once`() {
    let scripted = Scripted()
    let told = Record<Int>()
    let free = Handover<Bool>()
    scripted.reachability.onChange = { state in
      told.note(number(state))
      if told.all.count == 1 { _ = free.wait() }
    }
    scripted.tell(7)
    #expect(eventually { told.all == [7] })
    // The oldest that is kept is a 7 again.
    scripted.tell(8)
    scripted.tell(7)
    for step in 101...199 { scripted.tell(step) }
    free.put(true)
    #expect(eventually { told.all.last == 199 })
    #expect(told.all == [7] + Array(101...199))
  }

  @Test func `of what a slow task does not take the newest hundred are kept, in order`() async {
    let scripted = Scripted()
    var changes = scripted.reachability.changes.makeAsyncIterator()
    scripted.tell(0)
    #expect(await changes.next().map(number) == 0)
    for step in 1...1000 { scripted.tell(step) }
    for step in 901...1000 { #expect(await changes.next().map(number) == step) }
    scripted.reachability.broadcast.end()
    #expect(await changes.next() == nil)
    #expect(await changes.next() == nil)
  }

  @Test func `a sequence can be iterated again, also while it is`() async {
    let scripted = Scripted()
    let changes = scripted.reachability.changes
    scripted.tell(1)
    var first = changes.makeAsyncIterator()
    var second = changes.makeAsyncIterator()
    scripted.tell(2)
    for expected in [1, 2] {
      #expect(await first.next().map(number) == expected)
      #expect(await second.next().map(number) == expected)
    }
    scripted.reachability.broadcast.end()
  }

  @Test func `who iterates keeps the instance alive`() async {
    weak var instance: NetworkReachability?
    var iterator: NetworkReachability.Changes.Iterator?
    do {
      let scripted = Scripted()
      instance = scripted.reachability
      iterator = scripted.reachability.changes.makeAsyncIterator()
      scripted.tell(1)
    }
    #expect(instance?.isRunning == true)
    #expect(await iterator?.next().map(number) == 1)
    iterator = nil
    #expect(instance == nil)
  }

  @Test func `a task that is cancelled ends its sequence alone`() async {
    let scripted = Scripted()
    let told = Record<Int>()
    let task = Task { [reachability = scripted.reachability] in
      for await state in reachability.changes { told.note(number(state)) }
      return "ended"
    }
    scripted.tell(1)
    #expect(eventually { told.all == [1] })
    var other = scripted.reachability.changes.makeAsyncIterator()
    task.cancel()
    #expect(await task.value == "ended")
    scripted.tell(2)
    #expect(await other.next().map(number) == 1)
    #expect(await other.next().map(number) == 2)
    #expect(told.all == [1])
  }

  @Test func `all are told the same, whatever threads tell it`() async {
    let scripted = Scripted()
    let told = [Record<Int>(), .init(), .init()]
    scripted.reachability.onChange = { told[0].note(number($0)) }
    scripted.reachability.setObserver("other") { told[1].note(number($0)) }
    let task = Task { [reachability = scripted.reachability] in
      for await state in reachability.changes { told[2].note(number(state)) }
    }
    scripted.tell(0)
    #expect(eventually { told.allSatisfy { $0.all == [0] } })
    await withTaskGroup { group in
      for thread in 1...2 {
        group.addTask { for step in 0..<40 { scripted.tell(thread * 100 + step) } }
      }
    }
    #expect(eventually { told.allSatisfy { $0.all.count == 81 } })
    #expect(told[0].all == told[1].all)
    #expect(told[0].all == told[2].all)
    task.cancel()
  }

  @Test func `verdicts of an ended watch are not taken`() {
    let scripted = Scripted()
    scripted.reachability.broadcast.end()
    scripted.tell(1)
    #expect(scripted.reachability.status == .unknown)
    _ = scripted.reachability.broadcast.begin()
    scripted.tell(1)
    #expect(scripted.reachability.status == .unknown)
  }

  @Test func `who sets a closure late is told what stands, and the one before no more`() {
    let scripted = Scripted()
    let told = Record<String>()
    scripted.reachability.onChange = { told.note("a\(number($0))") }
    scripted.tell(1)
    #expect(eventually { told.all == ["a1"] })
    scripted.reachability.onChange = { told.note("b\(number($0))") }
    scripted.tell(2)
    #expect(eventually { told.all == ["a1", "b1", "b2"] })
    scripted.reachability.onChange = nil
    scripted.tell(3)
    usleep(20_000)
    #expect(told.all == ["a1", "b1", "b2"])
    #expect(scripted.reachability.onChange == nil)
  }

  @Test func `stop waits for a closure that runs`() throws {
    let scripted = Scripted()
    let order = Record<String>()
    scripted.reachability.onChange = { _ in
      order.note("begun")
      usleep(100_000)
      order.note("ended")
    }
    scripted.tell(1)
    #expect(eventually { order.all == ["begun"] })
    scripted.tell(2)
    scripted.reachability.broadcast.end()
    scripted.reachability.stop()
    order.note("stopped")
    usleep(150_000)
    #expect(order.all == ["begun", "ended", "stopped"])
  }

  @Test func `a closure may stop and start its own instance and others`() throws {
    let own = Scripted()
    let other = NetworkReachability()
    let told = Record<NetworkReachability.Status>()
    let ended = Record<Bool>()
    other.onChange = { told.note($0.status) }
    try other.start()
    #expect(eventually { told.all.count == 1 })
    own.reachability.onChange = { [weak reachability = own.reachability] _ in
      reachability?.stop()
      other.stop()
      do { try other.start() } catch { Issue.record("\(error)") }
      other.stop()
      ended.note(true)
    }
    own.tell(1)
    #expect(eventually { ended.all == [true] })
    #expect(!other.isRunning)
    usleep(20_000)
    #expect(told.all.count == 1)
  }

  @Test func `a closure may let go of its instance, and set another closure`() {
    final class Holder: Sendable {
      let held = Lock<NetworkReachability?>(nil)
    }
    let holder = Holder()
    let told = Record<Int>()
    weak var gone: NetworkReachability?
    do {
      let scripted = Scripted()
      gone = scripted.reachability
      holder.held.withLock { $0 = scripted.reachability }
      scripted.reachability.onChange = { _ in
        let reachability = holder.held.withLock { held in
          defer { held = nil }
          return held
        }
        reachability?.onChange = { told.note(number($0)) }
        told.note(0)
      }
      scripted.tell(1)
      #expect(eventually { !told.all.isEmpty })
    }
    #expect(eventually { gone == nil })
    #expect(told.all.first == 0)
  }

  @Test func `a closure that is set keeps nothing alive once the instance is gone`() {
    final class Witness: Sendable {}
    weak var witness: Witness?
    do {
      let scripted = Scripted()
      let held = Witness()
      witness = held
      scripted.reachability.onChange = { _ in _ = held }
    }
    #expect(witness == nil)
  }

  @Test func `what a target allows is where an instance begins`() throws {
    var target = Target(.internet)
    target.allowsWWAN = false
    #expect(try !NetworkReachability(target).allowsWWAN)
    #expect(NetworkReachability().allowsWWAN)
  }

  @Test func `a verdict that a probe has spoilt is not reachable, and its flags stay`() {
    let scripted = Scripted()
    var path = Path()
    path.flags = [.reachable, .isDirect]
    scripted.reachability.broadcast.take(
      Verdict(.unreachable, reason: .refused, cause: .remote, path: path), ofRound: scripted.round)
    #expect(scripted.reachability.status == .notReachable)
    #expect(scripted.reachability.flags == [.reachable, .isDirect])
    #expect(scripted.reachability.state.reason == .refused)
  }
}

@MainActor @Suite struct ObservableReachabilities {
  @Test func `what is observed is told, on the main actor`() async {
    let scripted = Scripted()
    let observable = ObservableReachability(scripted.reachability)
    #expect(observable.status == .unknown)
    for step in 1...3 {
      await withCheckedContinuation { continuation in
        withObservationTracking {
          _ = observable.isReachable
        } onChange: {
          continuation.resume()
        }
        scripted.tell(step)
      }
      await reached { number(observable.state) == step }
      #expect(observable.isReachableViaWiFi)
    }
    scripted.reachability.broadcast.end()
    await reached { observable.status == .unknown }
  }

  @Test func `it shows what stands when it is made, and is let go`() async {
    let scripted = Scripted()
    scripted.tell(1)
    weak var gone: ObservableReachability?
    do {
      let observable = ObservableReachability(scripted.reachability)
      gone = observable
      #expect(observable.path.interface == "eth1")
      scripted.tell(2)
      await reached { observable.path.interface == "eth2" }
    }
    #expect(gone == nil)
    scripted.tell(3)
  }

  /// Leaves the main actor to others until something is so.
  private func reached(_ condition: () -> Bool) async {
    let end = BootInstant.now + .seconds(5)
    while !condition(), BootInstant.now < end { await Task.yield() }
    #expect(condition())
  }
}
