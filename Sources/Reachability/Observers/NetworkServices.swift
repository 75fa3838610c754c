internal import DBus
internal import Posix

/// Keeps what NetworkManager and ModemManager know of interfaces, where they run.
///
/// Without them, or without a bus, all verdicts are the same but that nothing is known to be
/// metered. Lives on an event loop.
final class NetworkServices {
  /// What is known, by interface name.
  private(set) var interfaces: [String: ManagedInterface] = [:]

  private static let services: [any NetworkService.Type] = [NetworkManager.self, ModemManager.self]

  private struct State {
    var interfaces: [String: ManagedInterface] = [:]
    var isReading = false
    /// Whether something changed while it was being read.
    var isStale = false
    var isKnown = false
  }

  private let changed: () -> Void
  private var bus: BusConnection?
  private var states = [State](repeating: State(), count: NetworkServices.services.count)

  /// How long a first answer is waited for.
  private static let patience = Duration.milliseconds(500)

  /// Connects to the system's bus.
  ///
  /// - Parameters:
  ///   - loop: where it lives.
  ///   - changed: is called when something else is known.
  /// - Throws: where there is no bus.
  init(on loop: EventLoop, changed: @escaping () -> Void) throws(SystemError) {
    self.changed = changed
    bus = try BusConnection(on: loop) { [weak self] in self?.lose() }
    for (number, service) in NetworkServices.services.enumerated() {
      for rule in service.rules {
        bus?.watch(rule: rule) { [weak self] _, values in
          if service.isNews(values) { self?.read(number) }
        }
      }
      read(number)
    }
  }

  /// What is known now, asked for once; nothing where there is no bus.
  static func interfacesNow() -> [String: ManagedInterface] {
    guard BusConnection.hasSystemBus, let loop = try? EventLoop() else { return [:] }
    let found = Lock<[String: ManagedInterface]>([:])
    loop.post {
      if let services = try? NetworkServices(on: loop, changed: {}) {
        services.awaitFirst()
        found.withLock { $0 = services.interfaces }
        services.stop()
      }
      loop.stop()
    }
    loop.run()
    return found.withLock(\.self)
  }

  /// Waits, for half a second at most, until it is known what the services say.
  func awaitFirst() {
    bus?.wait(until: .now + NetworkServices.patience) { states.allSatisfy(\.isKnown) }
  }

  func stop() {
    bus?.close()
    bus = nil
  }

  /// Whether there is a bus.
  var isConnected: Bool { bus != nil }

  private func lose() {
    bus = nil
    interfaces = [:]
    changed()
  }

  private func read(_ number: Int) {
    guard let bus else { return }
    guard !states[number].isReading else {
      states[number].isStale = true
      return
    }
    states[number].isReading = true
    states[number].isStale = false
    NetworkServices.services[number].read(over: bus) { [weak self] interfaces in
      self?.take(interfaces, of: number)
    }
  }

  private func take(_ interfaces: [String: ManagedInterface], of number: Int) {
    states[number].isReading = false
    states[number].isKnown = true
    states[number].interfaces = interfaces
    merge()
    if states[number].isStale { read(number) }
  }

  private func merge() {
    var merged: [String: ManagedInterface] = [:]
    for state in states {
      merged.merge(state.interfaces) { first, second in
        var both = first
        both.isMetered = first.isMetered ?? second.isMetered
        both.isModem = first.isModem || second.isModem
        both.isBluetooth = first.isBluetooth || second.isBluetooth
        return both
      }
    }
    guard merged != interfaces else { return }
    interfaces = merged
    changed()
  }
}
