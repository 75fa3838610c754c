internal import Posix

/// Whether a target can be reached from this machine: now, and as it changes.
///
/// A target is reachable where the kernel has a usable path to it. Nothing is sent to find that out,
/// and nothing is polled: between two changes of the network no thread wakes up.
///
/// ```swift
/// let reachability = try NetworkReachability(host: "nas.lan")
/// try reachability.start()
/// for await state in reachability.changes {
///   print(state.status)
/// }
/// ```
///
/// All methods may be called from any thread. Any number of instances share one thread that watches,
/// and one that calls their closures.
///
/// The name is that of SCNetworkReachability, whose flags these are; the module's own name would
/// hide the module from those who write `Reachability.Path`.
public final class NetworkReachability: Sendable {
  /// The one for the default route, which everybody may share; `stop()` ends it for all.
  public static let shared = NetworkReachability()

  /// What is judged.
  public let target: Target
  let broadcast: Broadcast
  private let place = Lock<SharedMonitor.Place?>(nil)

  // MARK: Making one

  /// For the default route, of IPv4 or IPv6.
  public convenience init() { self.init(checked: Target(.internet)) }

  /// For a WiFi link with an address of its own, whether or not it leads anywhere.
  public static func localWiFi() -> NetworkReachability {
    NetworkReachability(checked: Target(.localWiFi))
  }

  /// For a host by its name; one that is written as an address is that address.
  ///
  /// - Throws: ``ReachabilityError/invalidHostName(_:)`` for a text that no host can be called.
  public convenience init(host: String) throws(ReachabilityError) {
    self.init(checked: Target(try Target.Subject(host: host), name: host))
  }

  /// For an address as text: `192.0.2.7`, `2001:db8::7`, or `fe80::7%eth0` on that interface.
  ///
  /// `0.0.0.0` stands for the default route of IPv4, `::` for that of IPv6.
  ///
  /// - Throws: ``ReachabilityError/invalidAddress(_:)`` for anything else, and
  ///   ``ReachabilityError/invalidInterface(_:)`` where what follows `%` is none.
  public convenience init(address: String) throws(ReachabilityError) {
    self.init(checked: Target(try Target.Subject(address: address), name: address))
  }

  /// For an address that packets are sent to from one of this machine's own.
  ///
  /// Where the local address is not assigned, the pair is not reachable. A link-local address may
  /// carry its interface, as in `fe80::7%eth0`.
  ///
  /// - Throws: ``ReachabilityError/invalidAddress(_:)``,
  ///   ``ReachabilityError/invalidInterface(_:)``, and
  ///   ``ReachabilityError/mixedFamilies(local:remote:)`` where one is IPv4 and the other IPv6.
  public convenience init(local: String, remote: String) throws(ReachabilityError) {
    self.init(
      checked: Target(
        try Target.Subject(local: .init(address: local), remote: .init(address: remote))))
  }

  /// For a target with all that can be asked of it: a probe, media by interface name, or an interface
  /// or a network as its subject.
  ///
  /// - Throws: what is wrong with the target's subject or probe.
  public convenience init(_ target: Target) throws(ReachabilityError) {
    try target.validate()
    self.init(checked: target)
  }

  private init(checked target: Target) {
    self.target = target
    broadcast = Broadcast(allowsWWAN: target.allowsWWAN)
  }

  deinit {
    stop()
    broadcast.removeObservers()
  }

  // MARK: Watching

  /// Begins to watch; changes nothing where it has begun already.
  ///
  /// Once it returns, ``state`` is known; that of a host's name follows when its addresses came, and
  /// that of a target with a probe when that has ended.
  ///
  /// - Throws: ``ReachabilityError/noKernelAccess(operation:code:)`` where the kernel cannot be
  ///   watched, as where the process may open no more descriptors.
  public func start() throws(ReachabilityError) {
    try place.withLock { place throws(ReachabilityError) in
      guard place == nil else { return }
      var watched = target
      // What counts is decided over the verdict: the flags stay the kernel's.
      watched.allowsWWAN = true
      let round = broadcast.begin()
      do throws(SystemError) {
        place = try SharedMonitor.join(watched) { [broadcast] verdict in
          broadcast.take(verdict, ofRound: round)
        }
      } catch {
        broadcast.end()
        throw ReachabilityError(error)
      }
    }
  }

  /// Ends the watch, and every sequence of changes with it; ``state`` is unknown from now on.
  ///
  /// Once it returns, no closure is called any more: it waits for one that runs, unless a closure of
  /// this library is what calls it. What a sequence holds already is still given.
  public func stop() {
    place.withLock { place in
      guard let old = place else { return }
      place = nil
      broadcast.end()
      old.leave()
    }
    broadcast.waitForObservers()
  }

  /// Whether it watches.
  public var isRunning: Bool { broadcast.isRunning }

  // MARK: What stands

  /// What stands for the target; unknown while it is not watched.
  public var state: State { broadcast.state }

  /// Whether the target can be reached, and over what.
  public var status: Status { state.status }
  /// How a packet would leave.
  public var flags: Flags { state.flags }
  /// The way there, as far as it is known.
  public var path: Path { state.path }
  /// Whether the target can be reached.
  public var isReachable: Bool { status.isReachable }
  /// Whether it can be reached over anything but WWAN.
  public var isReachableViaWiFi: Bool { status == .reachableViaWiFi }
  /// Whether it can be reached over WWAN.
  public var isReachableViaWWAN: Bool { status == .reachableViaWWAN }

  /// Whether a path over WWAN counts; where it does not, the target is not reachable by it.
  ///
  /// Setting it takes effect at once, and is told where it makes a change. The flags stay as they
  /// are.
  public var allowsWWAN: Bool {
    get { broadcast.allowsWWAN }
    set { broadcast.allowsWWAN = newValue }
  }

  // MARK: Closures

  /// Is called with the state that stands, as soon as one does, and then with each change in order.
  ///
  /// Closures are called one at a time, on a thread that the library has for them alone: one that
  /// takes long holds up the others', but neither the watch nor any sequence. Of changes that wait
  /// meanwhile the newest hundred are kept. Once another closure is set, or nil, the one before is
  /// not called any more.
  public var onChange: (@Sendable (State) -> Void)? {
    get { broadcast.observer(NetworkReachability.onChangeName) }
    set { setObserver(NetworkReachability.onChangeName, newValue) }
  }

  private static let onChangeName = "onChange"

  /// Sets a closure beside `onChange`, with the same promises; nil takes it away.
  package func setObserver(_ name: String, _ body: (@Sendable (State) -> Void)?) {
    broadcast.setObserver(name, body)
  }
}
