internal import CNetlink

/// A network that a WiFi interface has heard, as nl80211 describes it; linux/nl80211.h,
/// NL80211_CMD_NEW_SCAN_RESULTS.
struct ScannedNetwork: Hashable {
  /// Whether the interface is associated with it, or part of it where it is ad hoc.
  var isJoined: Bool
  /// Its name, at most 32 bytes of any kind; empty where it hides it.
  var ssid: [UInt8]

  /// Reads an NL80211_CMD_NEW_SCAN_RESULTS; nil for any other message.
  init?(_ message: Message) {
    guard let (info, attributes) = message.split(genlmsghdr.self),
      UInt32(info.cmd) == NL80211_CMD_NEW_SCAN_RESULTS.rawValue,
      let network = attributes.first(where: { NL80211_ATTR_BSS ~= $0.type })
    else { return nil }
    var answered: [UInt8] = []
    var broadcast: [UInt8] = []
    isJoined = false
    for attribute in Attributes(network.value) {
      switch attribute.type {
      case NL80211_BSS_STATUS:
        let status = attribute.load(UInt32.self).map(nl80211_bss_status.init(rawValue:))
        isJoined =
          status == NL80211_BSS_STATUS_ASSOCIATED || status == NL80211_BSS_STATUS_IBSS_JOINED
      case NL80211_BSS_INFORMATION_ELEMENTS: answered = attribute.value.ssid
      case NL80211_BSS_BEACON_IES: broadcast = attribute.value.ssid
      default: break
      }
    }
    // A network that hides its name tells it to those who ask for it.
    ssid = answered.contains { $0 != 0 } ? answered : broadcast
  }
}

extension Bytes {
  /// The name among the elements of a frame: each has a number, a length and so many bytes.
  fileprivate var ssid: [UInt8] {
    var rest = self
    while let number = rest.load(UInt8.self), let length = rest.load(UInt8.self, at: 1) {
      let value = rest.dropFirst(2)
      guard value.count >= Int(length) else { return [] }
      if number == 0, length <= WirelessInterface.longestSSID {
        return value.prefix(Int(length)).copy
      }
      rest = value.dropFirst(Int(length))
    }
    return []
  }
}

/// Lets the kernel's names of a network's attributes stand in a `case`.
func ~= (name: nl80211_bss, type: Int) -> Bool { type == Int(name.rawValue) }
