/// What a script's file held, told from other texts.
struct TextDigest: Hashable, Sendable {
  /// 64 bits of FNV-1a, the same at each start.
  let value: UInt64

  init(value: UInt64) { self.value = value }

  init(_ text: [UInt8]) {
    var value: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    self.value = value
  }
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
