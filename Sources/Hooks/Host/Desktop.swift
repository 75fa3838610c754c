internal import DBus
internal import Posix

/// What a notification says.
struct DesktopNotification: Sendable {
  enum Urgency: String, Sendable, CaseIterable {
    case low, normal, critical

    /// As the specification of desktop notifications numbers it.
    fileprivate var number: UInt8 {
      switch self {
      case .low: 0
      case .normal: 1
      case .critical: 2
      }
    }
  }

  var title: String
  var body: String
  var urgency: Urgency
  /// The script that shows it, and a word of its own: the same two replace what they showed before.
  var script: String
  var place: String?

  private static let longestTitle = 200
  private static let longestBody = 2000

  /// The title, which never has markup.
  var plainTitle: String { title.cut(to: DesktopNotification.longestTitle).printable }

  /// The body, for a server that reads markup or one that does not.
  func text(asMarkup: Bool) -> String {
    let lines = body.cut(to: DesktopNotification.longestBody)
      .split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
    let text = lines.joined(separator: "\n")
    guard asMarkup else { return text }
    return text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      .replacing(">", with: "&gt;")
  }
}

extension String {
  fileprivate func cut(to length: Int) -> String {
    count > length ? "\(prefix(length - 1))…" : self
  }
}

/// How many notifications one script may show: ten at once, and one more each two seconds.
struct NotificationAllowance: Sendable {
  private var credit = NotificationAllowance.most
  private var counted: BootInstant

  static let most = 10.0
  static let interval = Duration.seconds(2)

  /// - Parameter now: the time.
  init(at now: BootInstant) { counted = now }

  /// Takes one; false where there is none.
  mutating func take(at now: BootInstant) -> Bool {
    let grown = (now - counted).seconds / NotificationAllowance.interval.seconds
    credit = min(NotificationAllowance.most, credit + grown)
    counted = now
    guard credit >= 1 else { return false }
    credit -= 1
    return true
  }
}

/// Shows notifications by the user's session bus, to which it connects with the first.
///
/// Lives on an event loop, where its methods are called.
final class Desktop {
  private let loop: EventLoop
  private var bus: BusConnection?
  /// What the server can do; nil until it has said so.
  private var capabilities: [String]?
  private var allowances: [String: NotificationAllowance] = [:]
  private var shown: [Place: UInt32] = [:]
  private var pending: [Int: Pending] = [:]
  private var lastPending = 0

  private struct Place: Hashable {
    let script: String
    let name: String
  }

  private struct Pending {
    let timer: LoopTimer
    let completion: (String?) -> Void
  }

  private static let service = "org.freedesktop.Notifications"
  /// How long everything about one notification may take.
  private static let patience = Duration.seconds(5)

  init(on loop: EventLoop) { self.loop = loop }

  /// Counts a notification; why it is not to be shown, where its script has shown too many.
  func refusal(of notification: DesktopNotification) -> String? {
    var allowance = allowances[notification.script] ?? NotificationAllowance(at: loop.clock.now)
    defer { allowances[notification.script] = allowance }
    guard !allowance.take(at: loop.clock.now) else { return nil }
    return "too many notifications; one each \(NotificationAllowance.interval.text) is shown"
  }

  /// Shows a notification; `completion` is called once on the loop, with what went wrong or nil.
  func show(_ notification: DesktopNotification, completion: @escaping (String?) -> Void) {
    if let refusal = refusal(of: notification) { return completion(refusal) }
    let bus: BusConnection
    do throws(Obstacle) { bus = try connection() } catch { return completion(error.text) }
    lastPending += 1
    let number = lastPending
    let timer = loop.schedule(at: loop.clock.now + Desktop.patience) { [weak self] in
      self?.giveUp(number)
    }
    pending[number] = Pending(timer: timer, completion: completion)
    guard capabilities == nil else { return send(notification, number, by: bus) }
    bus.send(call("GetCapabilities", [])) { [weak self] answer in
      guard let self, pending[number] != nil else { return }
      switch answer {
      case .values(let values):
        capabilities = values.first?.elements?.compactMap(\.string) ?? []
        send(notification, number, by: bus)
      case .error(let name): finish(number, Desktop.complaint(about: name))
      }
    }
  }

  // MARK: -

  private struct Obstacle: Error {
    let text: String
  }

  private func connection() throws(Obstacle) -> BusConnection {
    if let bus { return bus }
    guard let address = Desktop.address else {
      throw Obstacle(
        text: "no session bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set")
    }
    do throws(SystemError) {
      let bus = try BusConnection(address: address, on: loop) { [weak self] in
        self?.disconnect("the session bus has ended the connection")
      }
      self.bus = bus
      return bus
    } catch {
      throw Obstacle(text: "no session bus: \(error)")
    }
  }

  /// Where the session's bus is; the second is systemd's place for it.
  private static var address: String? {
    if let address = Program.folder("DBUS_SESSION_BUS_ADDRESS") { return address }
    return Program.folder("XDG_RUNTIME_DIR").map { folder in
      let path = "\(folder)/bus".utf8.map { byte in
        switch byte {
        case 0x2d...0x39, 0x41...0x5a, 0x5f, 0x61...0x7a: String(Unicode.Scalar(byte))
        default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
      }
      return "unix:path=" + path.joined()
    }
  }

  private func call(_ method: String, _ arguments: [BusArgument]) -> BusConnection.Call {
    BusConnection.Call(
      starting: Desktop.service, path: "/org/freedesktop/Notifications",
      interface: Desktop.service, member: method, arguments: arguments)
  }

  private func send(_ notification: DesktopNotification, _ number: Int, by bus: BusConnection) {
    let place = notification.place.map { Place(script: notification.script, name: $0) }
    let text = notification.text(asMarkup: capabilities?.contains("body-markup") == true)
    let notify = call(
      "Notify",
      [
        .string("Reach"), .unsigned(place.flatMap { shown[$0] } ?? 0), .string(""),
        .string(notification.plainTitle), .string(text), .strings([]),
        .variants(["urgency": .byte(notification.urgency.number)]), .signed(-1),
      ])
    bus.send(notify) { [weak self] answer in
      guard let self else { return }
      switch answer {
      case .values(let values):
        if let place, let id = values.first?.integer { shown[place] = UInt32(clamping: id) }
        finish(number, nil)
      case .error(let name): finish(number, Desktop.complaint(about: name))
      }
    }
  }

  private func finish(_ number: Int, _ failure: String?) {
    guard let ended = pending.removeValue(forKey: number) else { return }
    loop.cancel(ended.timer)
    ended.completion(failure)
  }

  private func giveUp(_ number: Int) {
    finish(number, "no answer within \(Desktop.patience.text)")
    // A bus that has never said anything may be none.
    if capabilities == nil { disconnect("the session bus does not answer") }
  }

  private func disconnect(_ reason: String) {
    bus?.close()
    bus = nil
    capabilities = nil
    shown = [:]
    for number in pending.keys.sorted() { finish(number, reason) }
  }

  private static func complaint(about error: String) -> String {
    let absences = ["ServiceUnknown", "NameHasNoOwner"].map { "org.freedesktop.DBus.Error.\($0)" }
    return absences.contains(error)
      ? "nobody on the session bus shows notifications" : "the notification is refused: \(error)"
  }
}
