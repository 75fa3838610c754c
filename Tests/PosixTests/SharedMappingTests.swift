import Glibc
import TestSupport
import Testing

@testable import Posix

@Suite struct SharedMappings {
  @Test func `what is written stays in the file, also when nobody has it mapped any more`() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/shared"
    do {
      let mapping = try SharedMapping(ofFile: path, size: 4096)
      #expect(mapping.bytes == [UInt8](repeating: 0, count: 4096))
      mapping.write(Array("abc".utf8), at: 10)
      mapping.write(0x7a, at: 11)
      mapping.write(Array("over the end".utf8), at: 4092)
      mapping.write(1, at: 4096)
      mapping.write([1, 2], at: -1)
    }
    let again = try SharedMapping(ofFile: path, size: 4096)
    #expect(again.bytes[8..<14] == [0, 0, 0x61, 0x7a, 0x63, 0])
    #expect(Array(again.bytes.suffix(5)) == [0] + Array("over".utf8))
  }

  @Test func `what a process has written is there though it was killed`() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/shared"
    let writer = try SharedMapping(ofFile: path, size: 4096)
    let reader = try SharedMapping(ofFile: path, size: 4096)
    writer.write(7, at: 3)
    #expect(reader.bytes[3] == 7)
  }

  @Test func `a link and a folder are refused`() throws {
    let folder = try TemporaryFolder()
    try folder.write("real", "text")
    symlink("real", "\(folder.path)/link")
    #expect(throws: SystemError.self) {
      try SharedMapping(ofFile: "\(folder.path)/link", size: 4096)
    }
    #expect(throws: SystemError.self) { try SharedMapping(ofFile: folder.path, size: 4096) }
  }

  @Test func `a boot has a name that stays`() {
    let name = Program.bootID
    #expect(name.utf8.count == 36)
    #expect(Program.bootID == name)
  }
}
