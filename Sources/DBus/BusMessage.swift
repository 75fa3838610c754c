internal import CSystemd

/// Reads the values of a message, which the library has checked against its signature.
struct BusMessage {
  private let message: OpaquePointer

  init(_ message: OpaquePointer) { self.message = message }

  /// The name of the error that it is; nil for any other message.
  var errorName: String? { csystemd_message_error(message).map { String(cString: $0) } }

  /// The object that it is from.
  var path: String { csystemd_message_path(message).map { String(cString: $0) } ?? "" }

  /// Its values, as far as they are ones that are known.
  func values() -> [BusValue] {
    var values: [BusValue] = []
    while let (type, contents) = peek() {
      guard let value = read(type, contents) else { break }
      values.append(value)
    }
    return values
  }

  private func peek() -> (CChar, UnsafePointer<CChar>?)? {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    guard csystemd_message_peek(message, &type, &contents) > 0, type != 0 else { return nil }
    return (type, contents)
  }

  /// Reads the next value; nil where it cannot be read.
  ///
  /// D-Bus allows 64 levels at most.
  private func read(_ type: CChar, _ contents: UnsafePointer<CChar>?) -> BusValue? {
    switch UInt8(bitPattern: type) {
    case UInt8(ascii: "v"): return inside(type, contents)?.first
    case UInt8(ascii: "r"), UInt8(ascii: "("):
      return inside(type, contents).map { .structure($0) }
    case UInt8(ascii: "a"):
      if let contents, contents.pointee == CChar(UInt8(ascii: "{")) {
        return entries(contents)
      }
      return inside(type, contents).map { .array($0) }
    default: return basic(type)
    }
  }

  private func inside(_ type: CChar, _ contents: UnsafePointer<CChar>?) -> [BusValue]? {
    guard csystemd_message_enter(message, type, contents) > 0 else { return nil }
    let values = values()
    return csystemd_message_exit(message) >= 0 ? values : nil
  }

  private func entries(_ contents: UnsafePointer<CChar>) -> BusValue? {
    guard csystemd_message_enter(message, CChar(UInt8(ascii: "a")), contents) > 0 else {
      return nil
    }
    var entries: [String: BusValue] = [:]
    while let (type, contents) = peek() {
      guard let entry = inside(type, contents), entry.count == 2 else { return nil }
      let key = entry[0].string ?? entry[0].integer.map { "\($0)" }
      if let key { entries[key] = entry[1] }
    }
    return csystemd_message_exit(message) >= 0 ? .dictionary(entries) : nil
  }

  private func basic(_ type: CChar) -> BusValue? {
    // The widest value has eight bytes, as a pointer has.
    var storage: UInt64 = 0
    guard csystemd_message_read(message, type, &storage) > 0 else { return nil }
    return withUnsafeBytes(of: &storage) { bytes in
      switch UInt8(bitPattern: type) {
      case UInt8(ascii: "b"): .boolean(bytes.load(as: Int32.self) != 0)
      case UInt8(ascii: "y"): .integer(Int64(bytes.load(as: UInt8.self)))
      case UInt8(ascii: "n"): .integer(Int64(bytes.load(as: Int16.self)))
      case UInt8(ascii: "q"): .integer(Int64(bytes.load(as: UInt16.self)))
      case UInt8(ascii: "i"), UInt8(ascii: "h"): .integer(Int64(bytes.load(as: Int32.self)))
      case UInt8(ascii: "u"): .integer(Int64(bytes.load(as: UInt32.self)))
      case UInt8(ascii: "x"): .integer(bytes.load(as: Int64.self))
      case UInt8(ascii: "t"): .integer(Int64(clamping: bytes.load(as: UInt64.self)))
      case UInt8(ascii: "d"): .number(bytes.load(as: Double.self))
      case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"):
        bytes.load(as: UnsafePointer<CChar>?.self).map { .string(String(cString: $0)) }
      default: nil
      }
    }
  }
}
