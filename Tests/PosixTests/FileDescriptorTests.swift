import Glibc
import Testing

@testable import Posix

@Suite struct FileDescriptors {
  private func read(_ descriptor: borrowing FileDescriptor, _ count: Int) throws -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = try bytes.withUnsafeMutableBytes { try descriptor.read(into: $0) }
    return read.map { Array(bytes[..<$0]) }
  }

  private func write(_ descriptor: borrowing FileDescriptor, _ bytes: [UInt8]) throws -> Int? {
    try bytes.withUnsafeBytes { try descriptor.write($0) }
  }

  @Test func `a pipe gives what was written, and nil where nothing is there yet`() throws {
    let pipe = try FileDescriptor.pipe()
    pipe.reading.setNonBlocking()
    #expect(try read(pipe.reading, 4) == nil)
    #expect(try write(pipe.writing, [1, 2, 3]) == 3)
    #expect(try read(pipe.reading, 2) == [1, 2])
    #expect(try read(pipe.reading, 2) == [3])
    #expect(try read(pipe.reading, 2) == nil)
  }

  @Test func `a full pipe takes nothing`() throws {
    let pipe = try FileDescriptor.pipe()
    pipe.writing.setNonBlocking()
    let block = [UInt8](repeating: 0, count: 65536)
    while try write(pipe.writing, block) != nil {}
    #expect(try write(pipe.writing, [1]) == nil)
  }

  @Test func `a file is read to its end or the limit, relative to a folder too`() throws {
    let folder = try FileDescriptor(opening: "/proc/self", flags: O_RDONLY | O_DIRECTORY)
    let file = try FileDescriptor(opening: "stat", in: folder.number, flags: O_RDONLY)
    #expect(try file.readAll(limit: 3).count == 3)
    let zero = try FileDescriptor(opening: "/dev/zero", flags: O_RDONLY)
    #expect(try zero.readAll(limit: 100_000) == [UInt8](repeating: 0, count: 100_000))
    let empty = try FileDescriptor(opening: "/dev/null", flags: O_RDONLY)
    #expect(try empty.readAll(limit: 10) == [])
  }

  @Test func `a descriptor is not inherited by programs`() throws {
    let file = try FileDescriptor(opening: "/dev/null", flags: O_RDONLY)
    let pipe = try FileDescriptor.pipe()
    for number in [file.number, pipe.reading.number, pipe.writing.number] {
      #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
    }
  }

  @Test func `a descriptor is closed at the end of its life`() async {
    // In a process of its own, where nobody else takes the number meanwhile.
    await #expect(processExitsWith: .success) {
      func open() throws -> Int32 {
        let file = try FileDescriptor(opening: "/dev/null", flags: O_RDONLY)
        return file.number
      }
      let number = try open()
      #expect(fcntl(number, F_GETFD) == -1)
    }
  }
}
