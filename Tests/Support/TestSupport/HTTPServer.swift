internal import Glibc
internal import Posix

/// A server on loopback that answers as the path tells it to, gone with this value.
///
/// `/raw/…` sends the percent-encoded bytes that follow, and nothing else; `server.py` lists the
/// other ways.
public final class HTTPServer: Sendable {
  /// The ports by what they are: `plain`, and with TLS `good`, `wrong`, `expired` and `own`, after
  /// their certificates for `nas.test`.
  public let ports: [String: UInt16]
  /// The file of the authority that signed those of `good`, `wrong` and `expired`.
  public let authority: String
  private let process: pid_t
  // Used by `init` and `deinit` alone.
  nonisolated(unsafe) private let output: UnsafeMutablePointer<FILE>

  /// Where its program lies.
  public static let program =
    "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    + "/HTTPServer/server.py"

  /// Starts it, and waits until it listens.
  public init(at address: String = "127.0.0.1") throws {
    guard let output = popen("exec python3 '\(HTTPServer.program)' \(address)", "re") else {
      throw SystemError("start python3")
    }
    var buffer = [CChar](repeating: 0, count: 4096)
    let line = fgets(&buffer, 4096, output).map { String(cString: $0) } ?? ""
    let words = line.split { $0 == " " || $0 == "\n" }.map(String.init)
    guard words.count > 2, let process = pid_t(words[0]) else {
      pclose(output)
      throw SystemError("read what python3 \(HTTPServer.program) says")
    }
    self.output = output
    self.process = process
    var ports: [String: UInt16] = [:]
    for word in words.dropFirst().dropLast() {
      let parts = word.split(separator: "=")
      ports[String(parts[0])] = UInt16(parts[1])
    }
    self.ports = ports
    authority = words[words.count - 1]
  }

  deinit {
    kill(process, SIGTERM)
    pclose(output)
  }

  /// The path that makes it send an answer, in one of its ways.
  public static func path(_ way: String = "raw", sending answer: String) -> String {
    let digits = answer.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return "/\(way)/\(digits.joined())"
  }

  /// The path that makes it answer with a status, headers and a body.
  public static func path(
    _ way: String = "raw", status: Int, _ headers: String = "", body: String = ""
  ) -> String {
    path(way, sending: "HTTP/1.1 \(status) Some Words\r\n\(headers)\r\n\(body)")
  }
}
