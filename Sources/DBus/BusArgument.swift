internal import CSystemd

/// A value of a call on D-Bus, of just the type that its method takes.
public enum BusArgument: Sendable {
  /// A string, without NUL.
  case string(String)
  /// One byte.
  case byte(UInt8)
  /// 32 bits without a sign.
  case unsigned(UInt32)
  /// 32 bits with a sign.
  case signed(Int32)
  /// An array of strings.
  case strings([String])
  /// An array of entries: a string, and a variant that holds a string or number.
  case variants([String: BusArgument])

  private var signature: String {
    switch self {
    case .string: "s"
    case .byte: "y"
    case .unsigned: "u"
    case .signed: "i"
    case .strings: "as"
    case .variants: "a{sv}"
    }
  }

  /// Appends it to a message; false where that does not take it.
  func append(to message: OpaquePointer) -> Bool {
    switch self {
    case .string(let text): csystemd_message_append_string(message, text) >= 0
    case .byte(let value): BusArgument.append(value, "y", to: message)
    case .unsigned(let value): BusArgument.append(value, "u", to: message)
    case .signed(let value): BusArgument.append(value, "i", to: message)
    case .strings(let texts):
      BusArgument.enclose("a", "s", in: message) {
        texts.allSatisfy { BusArgument.string($0).append(to: message) }
      }
    case .variants(let entries):
      BusArgument.enclose("a", "{sv}", in: message) {
        entries.allSatisfy { key, value in
          BusArgument.enclose("e", "sv", in: message) {
            BusArgument.string(key).append(to: message)
              && BusArgument.enclose("v", value.signature, in: message) {
                value.append(to: message)
              }
          }
        }
      }
    }
  }

  private static func append(
    _ value: some BitwiseCopyable, _ type: Unicode.Scalar, to message: OpaquePointer
  ) -> Bool {
    withUnsafeBytes(of: value) { bytes in
      csystemd_message_append(message, CChar(UInt8(ascii: type)), bytes.baseAddress) >= 0
    }
  }

  private static func enclose(
    _ type: Unicode.Scalar, _ contents: String, in message: OpaquePointer, _ body: () -> Bool
  ) -> Bool {
    csystemd_message_open(message, CChar(UInt8(ascii: type)), contents) >= 0 && body()
      && csystemd_message_close(message) >= 0
  }
}
