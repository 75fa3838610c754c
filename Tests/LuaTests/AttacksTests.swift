import Glibc
import Posix
import TestSupport
import Testing

@testable import Lua

/// Each file of Attacks is the body of a handler that tries to get past the limits.
@Suite(.serialized) struct Attacks {
  static let files = testFiles(in: "Attacks")

  @Test func `there are seventy of them`() {
    #expect(Self.files.count >= 70)
  }

  @Test(arguments: files)
  func `an attack ends in time and hurts nobody else`(file: String) throws {
    let body = try testFile("Attacks/\(file)")
    var other = try Script("on(function(e) print('still here') end)")
    let before = try Self.memory("VmRSS")
    try FileDescriptor(opening: "/proc/self/clear_refs", flags: O_WRONLY).resetPeak()
    let start = processorTime
    do throws(LuaFailure) {
      var script = try Script("on(function(e)\n\(body)\nend)")
      switch script.run() {
      case .finished, .failed, .killed: break
      case .waiting: Issue.record("\(file) waits")
      }
    } catch {
      Issue.record("\(file) is no handler's body: \(error.message)")
    }
    let time = processorTime - start
    #expect(other.run() == .finished)
    #expect(other.record.lines == ["still here"])
    #expect(time < (isSanitized ? .seconds(10) : .seconds(1)))
    // A sanitizer keeps what was freed, and a shadow of it.
    let growth = try Self.memory("VmHWM") - before
    #expect(growth < (isSanitized ? 1024 : 64) << 20)
  }

  @Test(arguments: ["01_loop.lua", "14_pattern_backtrack.lua", "21_table_fill.lua"])
  func `a hook on another thread runs meanwhile`(file: String) async throws {
    let body = try testFile("Attacks/\(file)")
    async let attack = Task.detached {
      var script = try Script("on(function(e)\n\(body)\nend)")
      return script.run().isKilled
    }.value
    var other = try Script("n = 0 on(function(e) n = n + 1 end)")
    for _ in 0..<1000 { #expect(other.run() == .finished) }
    #expect(try await attack)
  }

  // MARK: -

  /// Bytes, by the name of a line in the process's status.
  private static func memory(_ name: String) throws -> Int {
    let text = try FileDescriptor(opening: "/proc/self/status", flags: O_RDONLY)
      .readAll(limit: 1 << 20)
    let line = String(decoding: text, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("\(name):") }
    return (line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) << 10
  }
}

extension FileDescriptor {
  /// Makes the greatest use of memory so far that of now; for `clear_refs`, see proc(5).
  fileprivate borrowing func resetPeak() throws {
    _ = try [UInt8(ascii: "5")].withUnsafeBytes { try write($0) }
  }
}
