import Glibc
import Posix
import TestSupport
import Testing

@Suite struct GrowingFiles {
  private let folder: TemporaryFolder
  private var path: String { "\(folder.path)/a" }

  init() throws { folder = try TemporaryFolder() }

  @Test func `a file is made, and each piece is in it at once`() throws {
    var file = try GrowingFile(path, replacing: false)
    #expect(folder.read("a") == "")
    try file.append("one\n")
    #expect(folder.read("a") == "one\n")
    try file.append("two\n")
    #expect(folder.read("a") == "one\ntwo\n")
  }

  @Test func `an empty file is used, and one that holds something only if it may be replaced`()
    throws
  {
    try folder.write("a", "")
    _ = try GrowingFile(path, replacing: false)
    try folder.write("a", "yesterday")
    #expect(throws: SystemError("write \(path)", code: EEXIST)) {
      _ = try GrowingFile(path, replacing: false)
    }
    #expect(folder.read("a") == "yesterday")
  }

  @Test func `what is replaced stays until the first piece is there`() throws {
    try folder.write("a", "yesterday")
    var file = try GrowingFile(path, replacing: true)
    #expect(folder.read("a") == "yesterday")
    try file.append("today")
    #expect(folder.read("a") == "today")
  }

  @Test func `a pipe takes what is written`() throws {
    try #require(mkfifo(path, 0o600) == 0)
    let reader = try FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK)
    var file = try GrowingFile(path, replacing: false)
    try file.append("one\n")
    #expect(try reader.readSome() == "one\n")
  }

  @Test func `where no more fits the file ends with a whole piece`() async {
    // The limit is the process's.
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let path = "\(folder.path)/a"
      var file = try GrowingFile(path, replacing: false)
      try file.append("one\n")
      // A write beyond the limit fails, and sends a signal first.
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      limit.rlim_cur = 6
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      #expect(throws: SystemError("write \(path)", code: EFBIG)) { try file.append("two\n") }
      #expect(folder.read("a") == "one\n")
      limit.rlim_cur = limit.rlim_max
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      try file.append("three\n")
      #expect(folder.read("a") == "one\nthree\n")
    }
  }

  @Test func `a folder is none`() {
    #expect(throws: SystemError("open \(folder.path)", code: EISDIR)) {
      _ = try GrowingFile(folder.path, replacing: true)
    }
  }
}

extension FileDescriptor {
  fileprivate borrowing func readSome() throws -> String {
    try withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      String(decoding: buffer[..<(try read(into: buffer) ?? 0)], as: UTF8.self)
    }
  }
}
