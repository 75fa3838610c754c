import Glibc
import Posix

/// The `reach` that was built with these tests, run as a user runs it.
enum Reach {
  /// Lies beside the test bundle.
  static let path: String = {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(
      decoding: buffer[..<max(0, length)].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return "/" + own.split(separator: "/").dropLast().joined(separator: "/") + "/reach"
  }()

  /// The top folder of the package.
  static let package =
    "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

  /// How a command ended, and what it wrote.
  struct Result {
    var code: Int32?
    var output: String
    var errors: String

    /// The lines of the error stream without their times.
    var log: [String] {
      errors.split(separator: "\n").map { line in
        line.prefix(2) == "20" && line.count > 20 ? String(line.dropFirst(20)) : String(line)
      }
    }
  }

  private final class Box: @unchecked Sendable {
    // Written by the loop, read after it has ended.
    var result = Subprocess.Result()
    var failure: SystemError?
  }

  /// Runs a bash script with `$REACH` set.
  static func shell(
    _ script: String, in folder: String = package, timeout: Duration = .seconds(60)
  ) throws -> Result {
    let loop = try EventLoop()
    var configuration = Subprocess.Configuration(
      arguments: ["bash", "-c", script].map { Array($0.utf8) })
    configuration.environment += ["REACH=\(path)"]
    configuration.directory = folder
    configuration.timeout = timeout
    let box = Box()
    let job = configuration
    loop.post {
      do throws(SystemError) {
        _ = try Subprocess(job, on: loop) { result in
          box.result = result
          loop.stop()
        }
      } catch {
        box.failure = error
        loop.stop()
      }
    }
    loop.run()
    if let failure = box.failure { throw failure }
    return Result(
      code: box.result.timedOut ? nil : box.result.code,
      output: String(decoding: box.result.output, as: UTF8.self),
      errors: String(decoding: box.result.errors, as: UTF8.self))
  }

  /// Runs `reach` with some words.
  static func run(_ words: String..., in folder: String = package) throws -> Result {
    let quoted = words.map { "'\($0)'" }.joined(separator: " ")
    return try shell("exec \"$REACH\" \(quoted)", in: folder)
  }
}
