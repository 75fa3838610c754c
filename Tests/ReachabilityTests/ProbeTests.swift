import Glibc
import Posix
import TestSupport
import Testing

@testable import Reachability

/// A server on loopback that accepts, or only holds its port.
private final class Server {
  let descriptor: FileDescriptor
  let port: UInt16

  init(listening: Bool) throws {
    descriptor = FileDescriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    let number = descriptor.number
    var name = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = IPAddress("127.0.0.1").withSocketAddress(port: 0) {
      bind(number, $0, $1)
    }
    try #require(bound == 0)
    if listening { try #require(listen(number, 8) == 0) }
    withUnsafeMutablePointer(to: &name) {
      _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &size) }
    }
    port = UInt16(bigEndian: name.sin_port)
  }
}

/// Runs one probe to its end.
private func probe(
  _ addresses: [String], port: UInt16, timeout: Duration = .seconds(2)
) throws -> ProbeResult {
  let loop = try EventLoop()
  let results = Record<ProbeResult>()
  loop.post {
    var probe = Probe(.tcp(port: port))
    probe.timeout = timeout
    let destination = ProbeDestination(addresses: addresses.compactMap { IPAddress($0) })
    _ = probe.begin(to: destination, on: loop) { result in
      if let result { results.note(result) }
      loop.stop()
    }
  }
  loop.run()
  #expect(results.all.count == 1)
  return try #require(results.all.first)
}

@Suite struct TCPProbes {
  @Test func `a port that listens passes, with its address and the time it took`() throws {
    let server = try Server(listening: true)
    guard case .pass(let latency, let address) = try probe(["127.0.0.1"], port: server.port) else {
      Issue.record("did not pass")
      return
    }
    #expect(address == IPAddress("127.0.0.1"))
    #expect(latency > .zero && latency < .seconds(1))
  }

  @Test func `a port that is closed refuses`() throws {
    let server = try Server(listening: false)
    #expect(try probe(["127.0.0.1"], port: server.port) == .failure(.refused))
  }

  @Test func `the next address is tried once one has failed`() throws {
    let server = try Server(listening: true)
    guard
      case .pass(_, let address) = try probe(["127.0.0.2", "127.0.0.1"], port: server.port)
    else {
      Issue.record("did not pass")
      return
    }
    #expect(address == IPAddress("127.0.0.1"))
  }

  @Test func `without an address it fails`() throws {
    #expect(try probe([], port: 1) == .failure(.dns))
  }

  @Test func `a full backlog answers nothing, and time runs out`() throws {
    let server = try Server(listening: false)
    try #require(listen(server.descriptor.number, 0) == 0)
    // One connection fills the backlog; from then on the kernel drops what comes.
    let fillers = (0..<3).map { _ in
      socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    }
    defer { for filler in fillers { close(filler) } }
    for filler in fillers {
      _ = IPAddress("127.0.0.1").withSocketAddress(port: server.port) { connect(filler, $0, $1) }
    }
    let start = BootInstant.now
    #expect(
      try probe(["127.0.0.1"], port: server.port, timeout: .milliseconds(300))
        == .failure(.timeout))
    #expect(BootInstant.now - start >= .milliseconds(300))
  }
}
