import Glibc
import Posix
import TestSupport
import Testing

@Suite struct FileReplacement {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ text: String, _ name: String, appending: Bool = false) throws {
    try FileDescriptor.write(
      Array(text.utf8), toFile: name.hasPrefix("/") ? name : "\(folder.path)/\(name)",
      appending: appending)
  }

  private func status(_ name: String) -> stat {
    var status = stat()
    lstat("\(folder.path)/\(name)", &status)
    return status
  }

  private var names: [String] {
    get throws { try FileDescriptor(opening: folder.path, flags: O_RDONLY).names() }
  }

  @Test func `a file is made, replaced and added to, and nothing else is left`() throws {
    try write("one", "a")
    try write("two", "a")
    #expect(folder.read("a") == "two")
    try write("three", "a", appending: true)
    try write("new", "b", appending: true)
    #expect(folder.read("a") == "twothree")
    #expect(folder.read("b") == "new")
    try write("", "a")
    #expect(folder.read("a") == "")
    #expect(try names == ["a", "b"])
  }

  @Test func `whoever has the file open reads what it was, and its mode goes on`() throws {
    try folder.write("a", "before", mode: 0o640)
    let inode = status("a").st_ino
    let reader = try FileDescriptor(opening: "\(folder.path)/a", flags: O_RDONLY)
    try write("after", "a")
    #expect(try reader.readAll(limit: 100) == Array("before".utf8))
    #expect(folder.read("a") == "after")
    #expect(status("a").st_mode & 0o7777 == 0o640)
    #expect(status("a").st_ino != inode)
    try write("more", "a", appending: true)
    #expect(status("a").st_mode & 0o7777 == 0o640)
  }

  @Test func `a link is followed to its target, there or not, and loops are an error`() throws {
    try folder.write("x/real", "before")
    symlink("x/real", "\(folder.path)/link")
    symlink("\(folder.path)/x/none", "\(folder.path)/dangling")
    symlink("circle", "\(folder.path)/circle")
    try write("after", "link")
    try write("new", "dangling")
    #expect(folder.read("x/real") == "after")
    #expect(folder.read("x/none") == "new")
    #expect(status("link").st_mode & S_IFMT == S_IFLNK)
    #expect(throws: SystemError("write \(folder.path)/circle", code: ELOOP)) {
      try write("x", "circle")
    }
  }

  @Test func `a device, a pipe and a file of the kernel's are written in place`() throws {
    try write("gone", "/dev/null")
    // A comm of this thread alone; a rename could not have done that.
    try write("by-reach", "/proc/thread-self/comm")
    let name = try FileDescriptor(opening: "/proc/thread-self/comm", flags: O_RDONLY)
    #expect(try name.readAll(limit: 99) == Array("by-reach\n".utf8))
    mkfifo("\(folder.path)/pipe", 0o600)
    #expect(throws: SystemError("open \(folder.path)/pipe", code: ENXIO)) {
      try write("x", "pipe")
    }
    let reader = try FileDescriptor(opening: "\(folder.path)/pipe", flags: O_RDONLY | O_NONBLOCK)
    try write("through", "pipe")
    #expect(try reader.readAll(limit: 7) == Array("through".utf8))
    #expect(throws: SystemError("write \(folder.path)/pipe", code: ETIMEDOUT)) {
      try write(String(repeating: "x", count: 1 << 17), "pipe")
    }
  }

  @Test func `what cannot be written is told, and the file is as it was`() throws {
    try folder.write("a", "before")
    #expect(throws: SystemError("write \(folder.path)", code: EISDIR)) {
      try write("x", folder.path)
    }
    #expect(throws: SystemError("replace \(folder.path)/no/a", code: ENOENT)) {
      try write("x", "no/a")
    }
    symlink("/dev/full", "\(folder.path)/full")
    #expect(throws: SystemError("write \(folder.path)/full", code: ENOSPC)) {
      try write("x", "full")
    }
    #expect(folder.read("a") == "before")
    #expect(try names == ["a", "full"])
  }
}
