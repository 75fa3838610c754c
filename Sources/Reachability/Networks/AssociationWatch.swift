internal import Netlink
internal import Posix

/// Tells on an event loop that a WiFi interface joined a network, left it or roamed.
final class AssociationWatch {
  private let socket: WirelessChangeSocket
  private let loop: EventLoop
  private var source: EventLoop.Source?

  /// Begins to listen to nl80211's family; nil where the kernel does not let us.
  init?(
    _ family: GenericFamily, on loop: EventLoop, changed: @escaping @Sendable () -> Void
  ) {
    guard let socket = try? WirelessChangeSocket(family) else { return nil }
    self.socket = socket
    self.loop = loop
    source = try? loop.watch(self.socket.descriptor) { [weak self] in
      // What cannot be read may have said so.
      if (try? self?.socket.drain()) ?? true { changed() }
    }
  }

  /// Ceases to listen.
  func stop() {
    if let source { loop.cancel(source) }
    source = nil
  }
}
