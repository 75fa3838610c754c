internal import Netlink

extension String {
  /// A WiFi network's name as text; nil unless it is printable UTF-8.
  ///
  /// Anybody can name a network anything. What could steer a terminal, hide, or turn the direction
  /// of writing makes no name; the joiners within a sign, as emoji have them, are part of it.
  init?(ssid bytes: some Collection<UInt8>) {
    guard (1...WirelessInterface.longestSSID).contains(bytes.count),
      let text = String(validating: bytes, as: UTF8.self),
      text.unicodeScalars.allSatisfy(\.isPrintable)
    else { return nil }
    self = text
  }
}

extension Unicode.Scalar {
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    case .format: value == 0x200c || value == 0x200d
    default: true
    }
  }
}
