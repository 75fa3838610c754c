internal import CNetlink

/// A WiFi interface as nl80211 describes it; linux/nl80211.h, NL80211_CMD_NEW_INTERFACE.
public struct WirelessInterface: Hashable, Sendable {
  /// What an interface does on the air.
  public enum Mode: Hashable, Sendable {
    /// It joins a network: as a station, as a client of a WiFi Direct group, or ad hoc.
    case station
    /// It makes a network for others.
    case accessPoint
    /// It does something else: it listens, or is a node of a mesh.
    case other
  }

  /// The interface's index.
  public var index: Int32
  /// What it does.
  public var mode: Mode
  /// The name of its network, at most 32 bytes of any kind; empty where there is none.
  public var ssid: [UInt8]

  /// An interface, built by hand.
  public init(index: Int32, mode: Mode, ssid: [UInt8] = []) {
    self.index = index
    self.mode = mode
    self.ssid = ssid
  }

  /// Reads an NL80211_CMD_NEW_INTERFACE; nil for any other message, and for a device that is no
  /// network interface, as WiFi Direct has them.
  init?(_ message: Message) {
    guard let (info, attributes) = message.split(genlmsghdr.self),
      UInt32(info.cmd) == NL80211_CMD_NEW_INTERFACE.rawValue
    else { return nil }
    var index: Int32 = 0
    var mode = Mode.other
    var ssid: [UInt8] = []
    for attribute in attributes {
      switch attribute.type {
      case NL80211_ATTR_IFINDEX: index = attribute.load(Int32.self) ?? 0
      case NL80211_ATTR_IFTYPE:
        mode = attribute.load(UInt32.self).map { Mode(nl80211_iftype(rawValue: $0)) } ?? .other
      case NL80211_ATTR_SSID where attribute.value.count <= WirelessInterface.longestSSID:
        ssid = attribute.value.copy
      default: break
      }
    }
    guard index > 0 else { return nil }
    self.init(index: index, mode: mode, ssid: ssid)
  }

  /// Whether it may have joined a network whose name is not told with it.
  var isNamelessStation: Bool { mode == .station && ssid.isEmpty }

  /// The most bytes that IEEE 802.11 allows for the name of a network.
  public static let longestSSID = 32
}

extension WirelessInterface.Mode {
  fileprivate init(_ type: nl80211_iftype) {
    switch type {
    case NL80211_IFTYPE_STATION, NL80211_IFTYPE_P2P_CLIENT, NL80211_IFTYPE_ADHOC: self = .station
    case NL80211_IFTYPE_AP, NL80211_IFTYPE_AP_VLAN, NL80211_IFTYPE_P2P_GO: self = .accessPoint
    default: self = .other
    }
  }
}

/// Lets the kernel's names of nl80211's attributes stand in a `case`.
func ~= (name: nl80211_attrs, type: Int) -> Bool { type == Int(name.rawValue) }
