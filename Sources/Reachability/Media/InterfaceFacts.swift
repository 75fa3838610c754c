/// What sysfs tells of an interface beyond netlink.
public struct InterfaceFacts: Hashable, Sendable {
  /// The kind of device that its driver declares: `wlan`, `wwan`; DEVTYPE in `uevent`.
  public var deviceType: String?
  /// Whether it belongs to a wireless radio.
  public var isWireless = false
  /// The kernel module that drives it.
  public var driver: String?
  /// Whether it is a device on USB.
  public var isUSB = false

  /// Nothing known.
  public init() {}

  /// Facts, built by hand.
  public init(
    deviceType: String? = nil, isWireless: Bool = false, driver: String? = nil, isUSB: Bool = false
  ) {
    self.deviceType = deviceType
    self.isWireless = isWireless
    self.driver = driver
    self.isUSB = isUSB
  }
}
