internal import CSystemd
public import Posix

/// A connection to a message bus; lives on an event loop, where all of its methods are called.
///
/// The library behind it is opened with the first connection.
public final class BusConnection {
  /// What came of a call: the values of the answer, or the name of the error.
  public enum Answer: Equatable, Sendable {
    case values([BusValue])
    /// `org.freedesktop.DBus.Error.ServiceUnknown` where nobody has the name that was called.
    case error(String)
  }

  /// A call of a method.
  public struct Call: Sendable {
    var destination: String
    var path: String
    var interface: String
    var member: String
    var arguments: [BusArgument]
    /// Whether it starts a service that does not run.
    var startsService = false

    /// A call with strings for arguments; it starts no service that does not run.
    public init(
      _ destination: String, path: String, interface: String, member: String,
      arguments: [String] = []
    ) {
      self.destination = destination
      self.path = path
      self.interface = interface
      self.member = member
      self.arguments = arguments.map { .string($0) }
    }

    /// A call with any arguments, which starts the service where it does not run and can be.
    public init(
      starting destination: String, path: String, interface: String, member: String,
      arguments: [BusArgument]
    ) {
      self.init(destination, path: path, interface: interface, member: member)
      self.arguments = arguments
      startsService = true
    }
  }

  /// What a C callback finds its way back by.
  private final class Reply {
    unowned let connection: BusConnection
    let isOnce: Bool
    let body: (BusMessage) -> Void

    init(_ connection: BusConnection, isOnce: Bool, _ body: @escaping (BusMessage) -> Void) {
      self.connection = connection
      self.isOnce = isOnce
      self.body = body
    }
  }

  private let loop: EventLoop
  private var bus: OpaquePointer?
  private var replies: [ObjectIdentifier: Reply] = [:]
  private var source: EventLoop.Source?
  private var interest: Int32 = 0
  private var timer: LoopTimer?
  private let ended: () -> Void

  /// How long an answer is waited for.
  static let patience = Duration.seconds(5)

  /// Whether there seems to be a system's bus, by the place where it is to be.
  public static var hasSystemBus: Bool { csystemd_has_system_bus() != 0 }

  /// Connects; what is called meanwhile is sent when the connection stands.
  ///
  /// - Parameters:
  ///   - address: the bus's, as of the D-Bus specification; nil for the system's.
  ///   - loop: where it lives.
  ///   - ended: is called once where the other side ends the connection.
  /// - Throws: where the library is missing or nobody listens at the address.
  public init(
    address: String? = nil, on loop: EventLoop, ended: @escaping () -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.ended = ended
    let missing = csystemd_open()
    guard missing == 0 else { throw SystemError("open libsystemd.so.0", code: missing) }
    var bus: OpaquePointer?
    let result = csystemd_bus_connect(&bus, address)
    guard result >= 0 else {
      throw SystemError("connect to \(address ?? "the system's message bus")", code: -result)
    }
    self.bus = bus
    rearm()
  }

  deinit { if let bus { csystemd_bus_close(bus) } }

  /// Ends the connection; nothing is called back afterwards.
  public func close() {
    guard let bus else { return }
    self.bus = nil
    if let source { loop.cancel(source) }
    source = nil
    if let timer { loop.cancel(timer) }
    timer = nil
    csystemd_bus_close(bus)
    replies = [:]
  }

  /// Calls a method; `completion` is called once, never before this returns, unless the connection
  /// ends first.
  public func send(_ call: Call, completion: @escaping (Answer) -> Void) {
    guard let bus else { return }
    let reply = Reply(self, isOnce: true) { message in
      completion(message.errorName.map { .error($0) } ?? .values(message.values()))
    }
    var message: OpaquePointer?
    guard
      csystemd_call_new(
        bus, &message, call.destination, call.path, call.interface, call.member,
        call.startsService ? 1 : 0) >= 0, let message
    else { return fail(completion) }
    defer { csystemd_message_release(message) }
    for argument in call.arguments where !argument.append(to: message) { return fail(completion) }
    let patience = UInt64(BusConnection.patience.nanoseconds / 1000)
    let context = Unmanaged.passUnretained(reply).toOpaque()
    guard csystemd_call_send(bus, message, tell, context, patience) >= 0 else {
      return fail(completion)
    }
    replies[ObjectIdentifier(reply)] = reply
    rearm()
  }

  /// Calls several methods; `completion` is called once with the values of those that were answered
  /// without an error.
  public func send(_ calls: [Call], completion: @escaping ([[BusValue]]) -> Void) {
    guard !calls.isEmpty else { return completion([]) }
    var left = calls.count
    var answers: [[BusValue]?] = calls.map { _ in nil }
    for (number, call) in calls.enumerated() {
      send(call) { answer in
        if case .values(let values) = answer { answers[number] = values }
        left -= 1
        if left == 0 { completion(answers.compactMap(\.self)) }
      }
    }
  }

  /// A name or path that cannot be one.
  private func fail(_ completion: @escaping (Answer) -> Void) {
    _ = loop.schedule(at: .now) { completion(.error("org.freedesktop.DBus.Error.InvalidArgs")) }
  }

  /// Calls `body` with the path and the values of each message that a rule matches, until the end.
  public func watch(rule: String, _ body: @escaping (String, [BusValue]) -> Void) {
    guard let bus else { return }
    let reply = Reply(self, isOnce: false) { message in body(message.path, message.values()) }
    let context = Unmanaged.passUnretained(reply).toOpaque()
    guard csystemd_bus_match(bus, rule, tell, context) >= 0 else { return }
    replies[ObjectIdentifier(reply)] = reply
    rearm()
  }

  /// Waits, instead of the loop, until a condition is met or time is up.
  public func wait(until deadline: BootInstant, _ isMet: () -> Bool) {
    while let bus, !isMet() {
      let result = csystemd_bus_process(bus)
      if result < 0 { return }
      if result > 0 { continue }
      let rest = deadline - .now
      guard rest > .zero else { break }
      _ = csystemd_bus_wait(bus, UInt64(rest.nanoseconds / 1000))
    }
    rearm()
  }

  // MARK: -

  private func process() {
    while let bus {
      let result = csystemd_bus_process(bus)
      if result < 0 {
        close()
        return ended()
      }
      if result == 0 { break }
    }
    rearm()
  }

  /// Has the loop wait for what the connection waits for now.
  private func rearm() {
    guard let bus else { return }
    let wanted = csystemd_bus_interest(bus)
    if wanted != interest || source == nil {
      if let source { loop.cancel(source) }
      interest = wanted
      let kind: EventLoop.Interest = wanted == 3 ? .either : wanted == 2 ? .writable : .readable
      source = try? loop.watch(borrowed: csystemd_bus_descriptor(bus), kind) { [weak self] in
        self?.process()
      }
    }
    if let timer { loop.cancel(timer) }
    timer = nil
    let patience = csystemd_bus_patience(bus)
    guard patience != .max else { return }
    timer = loop.schedule(at: .now + .microseconds(Int64(clamping: patience))) { [weak self] in
      self?.process()
    }
  }

  fileprivate static func take(_ message: OpaquePointer, _ context: UnsafeMutableRawPointer) {
    let reply = Unmanaged<Reply>.fromOpaque(context).takeUnretainedValue()
    if reply.isOnce { reply.connection.replies[ObjectIdentifier(reply)] = nil }
    reply.body(BusMessage(message))
  }
}

/// The callback of all calls and matches.
private func tell(
  _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  if let message, let context { BusConnection.take(message, context) }
  return 0
}
