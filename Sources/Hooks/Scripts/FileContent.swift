/// What a file held when it was read, or why it could not be read: enough to tell whether that is
/// different now.
struct FileContent: Hashable, Sendable {
  private let size: Int
  private let hash: Int

  init(_ text: Result<[UInt8], ScriptError>) {
    var hasher = Hasher()
    switch text {
    case .success(let bytes):
      size = bytes.count
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    case .failure(let error):
      size = -1
      hasher.combine(error.description)
    }
    hash = hasher.finalize()
  }
}
