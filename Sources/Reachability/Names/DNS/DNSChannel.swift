internal import CAres
internal import Glibc
internal import Posix

/// Asks one nameserver for addresses, by c-ares, and waits for the answers on an event loop.
///
/// One server alone, so that it is known which one answered or was silent. Sockets are open only
/// while something is asked. All methods are called on the loop.
final class DNSChannel {
  /// Whom it asks.
  let server: Nameserver
  private let loop: EventLoop
  private let sockets: DNSSockets
  private let answers = DNSAnswers()
  private var channel: ares_channel?
  private var timer: LoopTimer?
  private var timerInstant: BootInstant?
  private var isDelivering = false

  /// A channel to a server; nothing is sent yet.
  ///
  /// - Parameters:
  ///   - server: whom to ask.
  ///   - interface: the interface through which all packets go, whatever the routes; nil for the
  ///     routes' choice.
  ///   - timeout: how long to wait for the first try; each further one is given twice as long.
  ///   - tries: how often to ask.
  ///   - loop: where it lives.
  /// - Throws: ENOMEM where there is no memory for it.
  init(
    to server: Nameserver, through interface: String? = nil, timeout: Duration = .seconds(2),
    tries: Int = 1, on loop: EventLoop
  ) throws(SystemError) {
    self.server = server
    self.loop = loop
    sockets = DNSSockets(on: loop, zone: server.zone, interface: interface)
    channel = try DNSChannel.makeChannel(sockets, timeout: timeout, tries: tries)
    guard setServer() else { throw SystemError("ask nameserver \(server)", code: ENOMEM) }
    sockets.ready = { [weak self] number, interest in self?.process(number, interest) }
  }

  /// Why the server was last `unreachable`, as far as is known.
  var refusal: Reason? { sockets.refusal }

  deinit { close() }

  /// Asks for the addresses of one family; `completion` is called once, on the loop and never
  /// before this returns, unless the question or the channel is cancelled.
  ///
  /// - Parameters:
  ///   - name: the whole name; no domain is appended to it.
  ///   - family: which addresses.
  ///   - completion: takes the answer.
  /// - Returns: the question, to be cancelled.
  @discardableResult
  func ask(
    _ name: String, for family: IPAddress.Family, completion: @escaping (DNSAnswer) -> Void
  ) -> DNSQuestion {
    let question = DNSQuestion(family, answers, completion: completion)
    guard let channel else { return question }
    ares_query(
      channel, name, DNSChannel.internetClass, family == .ipv4 ? 1 : 28,
      { argument, status, _, message, length in
        guard let argument else { return }
        let question = Unmanaged<DNSQuestion>.fromOpaque(argument).takeRetainedValue()
        question.take(
          status: status,
          message: UnsafeBufferPointer(start: message, count: message == nil ? 0 : Int(length)))
      }, Unmanaged.passRetained(question).toOpaque())
    if answers.waiting.isEmpty || isDelivering {
      setTimer()
    } else {
      setTimer(at: .now)
    }
    return question
  }

  /// Ends all questions without an answer; the channel cannot be used again.
  func close() {
    guard let channel else { return }
    self.channel = nil
    // Calls back for each question that is under way, and closes the sockets.
    ares_destroy(channel)
    while let (question, _) = answers.waiting.popFirst() { question.cancel() }
    if let timer, loop.isCurrent { loop.cancel(timer) }
    timer = nil
  }

  // MARK: -

  private func process(_ number: Int32, _ interest: EventLoop.Interest) {
    guard let channel else { return }
    ares_process_fd(
      channel, interest == .readable ? number : ARES_SOCKET_BAD,
      interest == .writable ? number : ARES_SOCKET_BAD)
    deliver()
  }

  /// Gives up what has waited too long.
  private func processTimeouts() {
    timer = nil
    timerInstant = nil
    guard let channel else { return }
    ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD)
    deliver()
  }

  private func deliver() {
    isDelivering = true
    while let (question, answer) = answers.waiting.popFirst() { question.finish(answer) }
    isDelivering = false
    setTimer()
  }

  /// Sets the timer for when c-ares must look again.
  ///
  /// One that comes too early stays: it then finds the right time, and that is cheaper than to move
  /// it with every question.
  private func setTimer() {
    var wait = timeval()
    guard let channel, ares_timeout(channel, nil, &wait) != nil else {
      if let timer { loop.cancel(timer) }
      timer = nil
      timerInstant = nil
      return
    }
    // c-ares counts whole milliseconds, and looks only once they are over.
    let delay = Duration.seconds(wait.tv_sec) + .microseconds(wait.tv_usec) + .milliseconds(1)
    setTimer(at: .now + delay)
  }

  private func setTimer(at instant: BootInstant) {
    if let timerInstant, timerInstant <= instant { return }
    if let timer { loop.cancel(timer) }
    timerInstant = instant
    timer = loop.schedule(at: instant) { [weak self] in self?.processTimeouts() }
  }

  // MARK: c-ares

  private static let internetClass: Int32 = 1

  /// A channel that reads none of the system's files, passes each answer on whatever it says, and
  /// leaves sockets to `sockets`.
  private static func makeChannel(
    _ sockets: DNSSockets, timeout: Duration, tries: Int
  ) throws(SystemError) -> ares_channel {
    let data = Unmanaged.passUnretained(sockets).toOpaque()
    var options = ares_options()
    options.flags = ARES_FLAG_NOCHECKRESP | ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES
    options.timeout = Int32(clamping: max(1, timeout.nanoseconds / 1_000_000))
    options.tries = Int32(clamping: max(1, tries))
    options.ndots = 1
    options.sock_state_cb = DNSSockets.stateChanged
    options.sock_state_cb_data = data
    let mask =
      ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_NDOTS | ARES_OPT_LOOKUPS
      | ARES_OPT_DOMAINS | ARES_OPT_SORTLIST | ARES_OPT_SOCK_STATE_CB | ARES_OPT_RESOLVCONF
    var channel: ares_channel?
    var lookups = Array("b".utf8CString)
    var configuration = Array("/dev/null".utf8CString)
    let status = lookups.withUnsafeMutableBufferPointer { lookups in
      configuration.withUnsafeMutableBufferPointer { configuration in
        options.lookups = lookups.baseAddress
        options.resolvconf_path = configuration.baseAddress
        return ares_init_options(&channel, &options, mask)
      }
    }
    guard status == ARES_SUCCESS, let channel else {
      throw SystemError("make a DNS channel", code: ENOMEM)
    }
    ares_set_socket_functions(channel, DNSSockets.functions, data)
    return channel
  }

  private func setServer() -> Bool {
    var node = ares_addr_port_node()
    node.family = Int32(server.address.family.number)
    node.udp_port = Int32(server.port)
    node.tcp_port = Int32(server.port)
    var bytes: [UInt8] = []
    server.address.append(to: &bytes)
    withUnsafeMutableBytes(of: &node.addr) { $0.copyBytes(from: bytes) }
    return ares_set_servers_ports(channel, &node) == ARES_SUCCESS
  }
}
