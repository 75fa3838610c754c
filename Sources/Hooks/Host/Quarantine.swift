internal import Lua

/// What a script's file held, told from other texts.
struct TextDigest: Hashable, Sendable, CustomStringConvertible {
  /// 64 bits of FNV-1a, the same at each start.
  let value: UInt64

  init(value: UInt64) { self.value = value }

  /// Reads its `description`.
  init?(_ description: String) {
    guard let value = UInt64(description, radix: 16) else { return nil }
    self.value = value
  }

  init(_ text: [UInt8]) {
    var value: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    self.value = value
  }

  /// Hexadecimal.
  var description: String { String(value, radix: 16) }
}

/// Why a script is not run, until its file changes or somebody enables it.
struct Quarantine: Hashable, Sendable {
  /// The script's name.
  var script: String
  /// Why, in words for people.
  var reason: String
  /// Since when, in Unix seconds.
  var since: Int64
  /// What its file held; nil where it could not be read.
  var text: TextDigest?
}

/// The scripts that are not run: a value to keep over restarts.
struct Quarantines: Hashable, Sendable {
  /// In the order in which they began; one for each script.
  private(set) var all: [Quarantine] = []

  /// That of a script, where there is one.
  subscript(script: String) -> Quarantine? { all.first { $0.script == script } }

  /// Begins one, in the place of an earlier one of the same script.
  mutating func begin(_ quarantine: Quarantine) {
    lift(quarantine.script)
    all.append(quarantine)
  }

  /// Ends that of a script.
  mutating func lift(_ script: String) { all.removeAll { $0.script == script } }
}

/// As the text that is kept: JSON.
extension Quarantine {
  /// All but the script's name.
  var json: String {
    var writer = JSONWriter()
    writer.object { json in
      json.field("reason", reason)
      json.field("since", since)
      json.field("text", text?.description)
    }
    return writer.text
  }

  /// Reads a text; nil for one that says nothing.
  init?(_ json: String, of script: String) {
    guard let value = try? JSONReader.read(Array(json.utf8)), case .table(let table) = value,
      let reason = table.text("reason"), case .integer(let since)? = table["since"]
    else { return nil }
    self.init(
      script: script, reason: reason, since: since,
      text: table.text("text").flatMap(TextDigest.init))
  }
}
