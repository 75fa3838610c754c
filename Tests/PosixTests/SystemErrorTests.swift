import Glibc
import Testing

@testable import Posix

@Suite struct SystemErrors {
  @Test func `an error says what was done, to what, and what came back`() {
    let error = #expect(throws: SystemError.self) {
      _ = try FileDescriptor(opening: "/no/such/file", flags: O_RDONLY)
    }
    #expect(error == SystemError("open /no/such/file", code: ENOENT))
    #expect(error?.description == "open /no/such/file: No such file or directory")
  }

  @Test func `a number that is no error has a text too`() {
    #expect(!SystemError.text(of: 99_999).isEmpty)
    #expect(SystemError.text(of: EACCES) == "Permission denied")
  }
}
