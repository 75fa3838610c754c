internal import DBus
internal import Posix

// What beside the kernel a verdict can depend on: probes, names, services of the system. Each is
// there from the first target or moment on that needs it.
extension ReachabilityMonitor {
  // MARK: Probes

  func sender() -> Prober {
    if let prober { return prober }
    let sender = Prober(
      on: loop,
      destination: { [weak self] id in
        self?.assumeIsolated { $0.watchlist.destination(of: id, names: $0.names) }
      },
      finished: { [weak self] id, result, generation in
        self?.assumeIsolated { $0.take(result, of: id, generation) }
      },
      report: { [weak self] error in self?.assumeIsolated { $0.report(error) } })
    prober = sender
    return sender
  }

  private func take(_ result: ProbeResult, of id: TargetID, _ generation: Int) {
    if case .pass(_, let address) = result, let name = watchlist.prefer(address, of: id) {
      // The result counts only if the path to that address is the same; else another is sent.
      pass(.hosts([name]))
    }
    let transitions = watchlist.note(result, of: id, generation: generation, &kernel)
    if !transitions.isEmpty { deliver(transitions) }
  }

  // MARK: Names

  func resolver() -> NameResolver {
    if let names { return names }
    let resolver = NameResolver(
      on: loop, files: resolverFiles,
      isolate: { [weak self, loop] body in
        loop.post { [weak self] in
          self?.assumeIsolated { if let names = $0.names { body(names) } }
        }
      },
      changed: { [weak self] names in self?.assumeIsolated { $0.take(names) } })
    names = resolver
    return resolver
  }

  func startNames() {
    do { try names?.start() } catch { report(error) }
  }

  /// Judges the targets of names anew whose addresses, or whose first answers, came.
  private func take(_ resolved: Set<String>) {
    pass(.hosts(resolved))
    for id in watchlist.targets(probing: resolved) { prober?.probeIfOwed(id) }
  }

  /// Asks the services of the system, where there is a bus, and hears of their news.
  func askServices() {
    guard services == nil, BusConnection.hasSystemBus else { return }
    // Without them nothing is known to be metered, and all else is the same.
    services = try? NetworkServices(on: loop) { [weak self] in
      self?.assumeIsolated { $0.takeNewsOfServices() }
    }
  }

  private func takeNewsOfServices() {
    kernel.managed = services?.interfaces ?? [:]
    if services?.isConnected == false { services = nil }
    if resumeWatch != nil { look() }
  }
}
