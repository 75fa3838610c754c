internal import Glibc
internal import Netlink
internal import Posix

extension InterfaceFacts {
  /// Reads what `/sys/class/net` says of an interface.
  ///
  /// A process that changed its network namespace still sees the old one's sysfs, so nothing is
  /// believed unless the index there is the one that netlink gave.
  init(readingSysfsOf link: Link) {
    self.init()
    let folder = "/sys/class/net/\(link.name)"
    guard InterfaceFacts.text("\(folder)/ifindex") == "\(link.index)" else { return }
    deviceType = InterfaceFacts.text("\(folder)/uevent")?
      .split(separator: "\n").first { $0.hasPrefix("DEVTYPE=") }
      .map { String($0.dropFirst("DEVTYPE=".count)) }
    isWireless =
      access("\(folder)/phy80211", F_OK) == 0 || access("\(folder)/wireless", F_OK) == 0
    driver = InterfaceFacts.lastPart(ofLink: "\(folder)/device/driver")
    isUSB = InterfaceFacts.lastPart(ofLink: "\(folder)/device/subsystem") == "usb"
  }

  private static func text(_ path: String) -> String? {
    guard let file = try? FileDescriptor(opening: path, flags: O_RDONLY),
      let bytes = try? file.readAll(limit: 4096)
    else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.last == "\n" ? String(text.dropLast()) : text
  }

  private static func lastPart(ofLink path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      let length = readlink(path, base, buffer.count)
      guard length > 0 else { return nil }
      let target = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<length])
      return String(decoding: target, as: UTF8.self).split(separator: "/").last.map(String.init)
    }
  }
}

/// Remembers what sysfs said, since none of it changes while an interface keeps name and type.
struct InterfaceFactsCache {
  private struct Key: Hashable {
    let index: Int32
    let name: String
    let hardwareType: UInt16
  }

  private var known: [Key: InterfaceFacts] = [:]

  mutating func facts(of link: Link) -> InterfaceFacts {
    let key = Key(index: link.index, name: link.name, hardwareType: link.hardwareType)
    if let facts = known[key] { return facts }
    // Interfaces come and go in thousands where containers do.
    if known.count >= 256 { known.removeAll() }
    let facts = InterfaceFacts(readingSysfsOf: link)
    known[key] = facts
    return facts
  }
}
