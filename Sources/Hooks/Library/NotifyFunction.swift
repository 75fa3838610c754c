internal import Lua
internal import Posix

extension LibraryFunction {
  static let notify = LibraryFunction(
    name: "reach.notify", place: .handlers, waits: true,
    takes: [Field("options", "reach.NotifyOptions", "What it says.")], returns: .report,
    summary: """
      Shows a notification on the desktop: `reach.notify{ title = "NAS", body = e.reason }`.

      It needs a session bus, which the system's daemon has not. What fails is logged, too.
      """
  ) { context, call, _ throws(OptionError) in
    context.effect = try NotifyEffect(arguments: call.arguments, script: context.source.name)
    return .wait
  }
}

/// A notification that a run waits for to be shown.
struct NotifyEffect: Effect {
  private let notification: DesktopNotification

  /// - Parameters:
  ///   - arguments: what `reach.notify` was called with.
  ///   - script: the script's name.
  /// - Throws: which key cannot be used, and why.
  init(arguments: [LuaValue], script: String) throws(OptionError) {
    let options = try OptionTable(
      arguments, for: "reach.notify", as: .notifyOptions)
    guard let title = try options.bytes("title"), !title.isEmpty else {
      throw options.error("\"title\" is missing, as in title = \"NAS\"")
    }
    let word = try options.string("urgency") ?? "normal"
    guard let urgency = DesktopNotification.Urgency(rawValue: word) else {
      throw options.mismatch("urgency", "low, normal or critical", .string(word))
    }
    notification = DesktopNotification(
      title: String(decoding: title, as: UTF8.self),
      body: String(decoding: try options.bytes("body") ?? [], as: UTF8.self), urgency: urgency,
      script: script, place: try NotifyEffect.place(options))
  }

  private static func place(_ options: OptionTable) throws(OptionError) -> String? {
    switch options.value("replace") {
    case nil, .boolean(false)?: nil
    case .boolean(true)?: ""
    case .string(let name)?: name
    case let other?: throw options.mismatch("replace", "a word, or true", other)
    }
  }

  func begin(_ wait: Wait) {
    wait.equipment.desktop.show(notification) { failure in
      wait.reports(failure.map { "reach.notify: \($0)" })
    }
  }

  func rehearse(_ wait: Wait, on stage: Stage) {
    if let refusal = wait.equipment.desktop.refusal(of: notification) {
      return wait.reports("reach.notify: \(refusal)")
    }
    let staged = stage.perform(.notification(notification), for: wait)
    wait.rehearse(for: staged.after) {
      wait.reports(staged.failure.map { "reach.notify: \($0)" })
    }
  }
}

extension TableForm {
  static let notifyOptions = TableForm(
    "reach.NotifyOptions", "What `reach.notify` takes.",
    [
      Field("title", "string", "What it is headed."),
      Field("body?", "string", "What it says beneath; shown as text, never as markup."),
      Field("urgency?", WordList.urgency.name, "Default `\"normal\"`."),
      Field(
        "replace?", "string|boolean",
        """
        A word: it takes the place of the script's last with the same word. `true`: of the last with \
        `true`.
        """),
    ])
}
