public import Observation
internal import Posix

/// A reachability whose properties are observed, by Observation, on the main actor.
///
/// It shows what stands for as long as it lives, through `start()` and `stop()` of the instance that
/// it shows; it never starts or stops that itself. Of changes that come faster than the main actor is
/// free, only the last is seen: those who need each of them take ``NetworkReachability/changes``.
@MainActor @Observable
public final class ObservableReachability {
  /// What is shown.
  @ObservationIgnored public let reachability: NetworkReachability
  /// What stands for the target; unknown while it is not watched.
  public private(set) var state: NetworkReachability.State

  /// Shows an instance; that of the default route unless another is given.
  public init(_ reachability: NetworkReachability = .shared) {
    self.reachability = reachability
    state = reachability.state
    let refresh = Refresh()
    reachability.broadcast.setMirror(ObjectIdentifier(self)) { [weak self] in
      guard refresh.isToBeScheduled() else { return }
      Task { @MainActor in
        refresh.begin()
        self?.refresh()
      }
    }
    // What changed between the two lines above.
    state = reachability.state
  }

  deinit { reachability.broadcast.setMirror(ObjectIdentifier(self), nil) }

  private func refresh() {
    let new = reachability.state
    if new != state { state = new }
  }

  /// Keeps more than one refresh from waiting for a main actor that is busy.
  private final class Refresh: Sendable {
    private let isWaiting = Lock(false)

    func isToBeScheduled() -> Bool {
      isWaiting.withLock { isWaiting in
        defer { isWaiting = true }
        return !isWaiting
      }
    }

    /// What changes from now on needs another one.
    func begin() { isWaiting.withLock { $0 = false } }
  }

  /// Whether the target can be reached, and over what.
  public var status: NetworkReachability.Status { state.status }
  /// How a packet would leave.
  public var flags: Flags { state.flags }
  /// The way there, as far as it is known.
  public var path: Path { state.path }
  /// Whether the target can be reached.
  public var isReachable: Bool { state.isReachable }
  /// Whether it can be reached over anything but WWAN.
  public var isReachableViaWiFi: Bool { state.isReachableViaWiFi }
  /// Whether it can be reached over WWAN.
  public var isReachableViaWWAN: Bool { state.isReachableViaWWAN }
}
