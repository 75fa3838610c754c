/// What the marker file holds: in which scripts this life of the daemon executes, and in which the
/// one before ended.
///
/// A page of zeros but for a head of 64 bytes and four names, of one byte for the length and 255 for
/// the text each.
struct CrashRecord: Hashable, Sendable {
  /// The boot in which it was written.
  var boot: String
  /// The scripts inside of which the life before ended.
  var suspects: [String] = []
  /// The scripts whose interpreters execute, one for each thread that runs Lua.
  var executing: [String] = []

  static let size = 4096
  /// Scripts that execute at once.
  static let threads = 2
  /// The bytes of a name with its length.
  static let stride = 256
  private static let head = Array("reach marker 1\n".utf8)
  /// The bytes of a boot's name.
  static let bootLength = 36
  private static let names = 64

  init(boot: String) { self.boot = boot }

  /// Reads a file's bytes; nil where they are nothing that `bytes` has made.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == CrashRecord.size, bytes.starts(with: CrashRecord.head) else { return nil }
    let boot = bytes[CrashRecord.head.count...].prefix(CrashRecord.bootLength)
    guard boot.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
    self.boot = String(decoding: boot, as: UTF8.self)
    let names = (0..<2 * CrashRecord.threads).map { number -> String in
      let place = CrashRecord.names + number * CrashRecord.stride
      let text = bytes[(place + 1)...].prefix(Int(bytes[place]))
      return String(decoding: text, as: UTF8.self)
    }
    suspects = names[..<CrashRecord.threads].filter { !$0.isEmpty }
    executing = names[CrashRecord.threads...].filter { !$0.isEmpty }
  }

  /// The file's bytes.
  var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: CrashRecord.size)
    let head = CrashRecord.head + boot.utf8.prefix(CrashRecord.bootLength)
    bytes.replaceSubrange(..<head.count, with: head)
    for (number, name) in suspects.prefix(CrashRecord.threads).enumerated() {
      write(name, at: CrashRecord.names + number * CrashRecord.stride, to: &bytes)
    }
    for (number, name) in executing.prefix(CrashRecord.threads).enumerated() {
      write(name, at: CrashRecord.place(ofThread: number), to: &bytes)
    }
    return bytes
  }

  /// As much of a script's name as there is room for.
  static func bytes(of name: String) -> [UInt8] { Array(name.utf8.prefix(stride - 1)) }

  private func write(_ name: String, at place: Int, to bytes: inout [UInt8]) {
    let text = CrashRecord.bytes(of: name)
    bytes[place] = UInt8(text.count)
    bytes.replaceSubrange(place + 1..<place + 1 + text.count, with: text)
  }

  /// Where names begin, each with its length.
  static var places: [Int] { (0..<2 * threads).map { names + $0 * stride } }

  /// Where a thread's name begins, with its length.
  static func place(ofThread number: Int) -> Int {
    names + (threads + number) * stride
  }

  /// What a new life makes of how the one before ended.
  struct Judgement: Hashable, Sendable {
    /// Scripts inside of which two lives in a row have ended.
    var guilty: [String] = []
    /// Scripts inside of which the last one has ended, and the one before it has not.
    var suspects: [String] = []
  }

  /// Judges a life that has ended, on this boot or another.
  func judge(on boot: String) -> Judgement {
    guard boot == self.boot else { return Judgement() }
    let names = Set(executing).sorted()
    return Judgement(
      guilty: names.filter(suspects.contains),
      suspects: names.filter { !suspects.contains($0) })
  }
}
