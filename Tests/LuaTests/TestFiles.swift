import Glibc
import Posix

/// The text of a file beside these tests.
func testFile(_ name: String) throws -> String {
  let bytes = try FileDescriptor(opening: "\(folder)/\(name)", flags: O_RDONLY)
    .readAll(limit: 1 << 20)
  return String(decoding: bytes, as: UTF8.self)
}

/// The names of the files in a folder beside these tests.
func testFiles(in name: String) -> [String] {
  guard let stream = opendir("\(folder)/\(name)") else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name.hasSuffix(".lua") { names.append(name) }
  }
  return names.sorted()
}

private let folder = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/")
