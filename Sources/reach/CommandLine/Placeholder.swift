internal import Hooks
internal import Reachability

/// What a value on the command line is, by the word that stands for it in help: `PATH`.
///
/// Shells complete values by it. A word that is not here can be anything.
enum Placeholder {
  case text
  case file
  case folder
  case target
  /// `NAME=MEDIUM`.
  case medium
  /// `SCRIPT/HOOK` of the daemon that runs.
  case hook
  /// The same, or a script alone.
  case script
  /// The name of a shipped hook.
  case shippedHook
  /// `KEY=VALUE` of an event.
  case field
  case status

  static let all: [String: Placeholder] = [
    "PATH": .file, "FILE": .file, "TIMELINE": .file, "FOLDER": .folder,
    "TARGET": .target, "NAME=MEDIUM": .medium,
    "SCRIPT/HOOK": .hook, "SCRIPT[/HOOK]": .script, "STATUS": .status, "KEY=VALUE": .field,
    "HOOK": .shippedHook,
    "DURATION": .text, "TEXT": .text, "N": .text, "NAME": .text, "LEVEL": .text, "FORMAT": .text,
  ]

  /// The kind of value that a word stands for.
  init(_ word: String) { self = Placeholder.all[word] ?? .text }
}

/// A way to write a TARGET.
struct TargetForm {
  let form: String
  /// What it means, after "is reachable when" or as a name.
  let meaning: String

  static let all = [
    TargetForm("internet", "a default route that works, of IPv4 or IPv6"),
    TargetForm("local_wifi", "a WiFi link that is up and has an address"),
    TargetForm("interface:NAME", "that interface, up and with an address"),
    TargetForm("network:SSID", "a WiFi link to the network of that name"),
    TargetForm("ADDRESS", "an IPv4 or IPv6 address"),
    TargetForm("LOCAL,REMOTE", "an address, from an address of this machine"),
    TargetForm("HOST", "a host by its name"),
    TargetForm("HOST:PORT", "a host or address, probed at that TCP port; IPv6 in brackets"),
    TargetForm("URL", "the host of an http or https URL, probed with a request"),
  ]

  private init(_ form: String, _ meaning: String) {
    self.form = form
    self.meaning = meaning
  }
}
