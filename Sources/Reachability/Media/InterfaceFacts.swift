/// What sysfs, and services of the system, tell of an interface beyond netlink.
public struct InterfaceFacts: Hashable, Sendable {
  /// The kind of device that its driver declares: `wlan`, `wwan`; DEVTYPE in `uevent`.
  public var deviceType: String?
  /// Whether it belongs to a wireless radio.
  public var isWireless = false
  /// The kernel module that drives it.
  public var driver: String?
  /// Whether it is a device on USB.
  public var isUSB = false

  /// Whether a service of the system says that it belongs to a modem.
  public var isModem = false
  /// Whether a service of the system says that it leads over Bluetooth.
  public var isBluetooth = false

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
