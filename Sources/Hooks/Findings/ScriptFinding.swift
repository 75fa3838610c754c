/// Something that is wrong with a script, or seldom meant, found out without running its hooks.
public struct ScriptFinding: Hashable, Sendable {
  /// Whether the script can do its work.
  public enum Severity: String, Sendable {
    /// It cannot, or not all of it.
    case fault
    /// It can, but what it says is hardly what is meant.
    case warning
  }

  /// What kind of thing it is; tools know it by its raw value, which stays as it is.
  public enum Code: String, CaseIterable, Sendable {
    /// The file cannot be read.
    case unreadable
    /// Others could have written the file.
    case unsafe
    /// Another script has the same name.
    case nameTaken = "name-taken"
    /// An error ends the load.
    case loadError = "load-error"
    /// The load uses more time or memory than a script may.
    case limit
    /// This system does not let the probe be sent.
    case probeRefused = "probe-refused"
    /// A host or an address without a probe, and `route = true` is not said.
    case noProbe = "no-probe"
    /// A target that no hook uses and no function can read.
    case unusedTarget = "unused-target"
    /// A combined target that names a member twice.
    case repeatedMember = "repeated-member"
    /// A hook none of whose handlers can ever be called.
    case deadHook = "dead-hook"
    /// A handler that can never be called, of a hook that has others.
    case deadHandler = "dead-handler"
    /// An option that changes nothing.
    case deadOption = "dead-option"
    /// A script that declares nothing that is ever called.
    case idleScript = "idle-script"
    /// A spec without its hook.
    case straySpec = "stray-spec"
  }

  /// What kind of thing it is.
  public let code: Code
  /// What the logs call the script; the file's own name where it is none.
  public let script: String
  /// The file, as it was found: the script's, or that of something that it requires.
  public let file: String
  /// The line in that file, where it is known.
  public let line: Int?
  /// What is wrong, and what to do about it.
  public let message: String

  /// Whether the script can do its work.
  public var severity: Severity { code.severity }

  /// Where it is, as editors take it: `hooks/nas.lua:12:`.
  public var place: String { line.map { "\(file):\($0):" } ?? "\(file):" }

  /// Writes the members of its object in JSON.
  public func write(to json: inout JSONWriter) {
    json.field("kind", "finding")
    json.field("severity", severity.rawValue)
    json.field("file", file)
    json.field("line", line.map(Int64.init))
    json.field("code", code.rawValue)
    json.field("message", message)
    json.field("script", script)
  }
}

extension ScriptFinding.Code {
  /// Whether a script can do its work all the same.
  public var severity: ScriptFinding.Severity {
    switch self {
    case .unreadable, .unsafe, .nameTaken, .loadError, .limit, .probeRefused: .fault
    case .noProbe, .unusedTarget, .repeatedMember, .deadHook, .deadHandler, .deadOption,
      .idleScript, .straySpec:
      .warning
    }
  }

  /// What it stands for, for people who meet it.
  public var summary: String {
    switch self {
    case .unreadable: "the file cannot be read"
    case .unsafe: "others could have written the file, or its folder"
    case .nameTaken: "another script has the same name"
    case .loadError: "the script cannot be loaded"
    case .limit: "loading it takes more time or memory than a script may have"
    case .probeRefused: "this system does not let the probe be sent"
    case .noProbe: "a host without a probe that does not say route = true"
    case .unusedTarget: "no hook uses the target, and no function can get at it"
    case .repeatedMember: "reach.any or reach.all names a member twice"
    case .deadHook: "none of the hook's handlers can ever be called"
    case .deadHandler: "one of its handlers can never be called"
    case .deadOption: "an option of a hook changes nothing"
    case .idleScript: "the script declares no hook, timer or reach.defer"
    case .straySpec: "a *_test.lua beside no hook that it could test"
    }
  }
}

extension [ScriptFinding] {
  /// In the order of their lines, those of the script's own file first.
  func sorted(of source: ScriptSource) -> [ScriptFinding] {
    sorted { one, other in
      let ranks = [one, other].map { finding in
        (finding.file == source.path ? 0 : 1, finding.file, finding.line ?? 0)
      }
      return ranks[0] == ranks[1] ? one.message < other.message : ranks[0] < ranks[1]
    }
  }

  /// A row of aligned columns for each: place, severity, code and message.
  public var table: String {
    let rows = map { finding in
      [finding.place, finding.severity.rawValue, finding.code.rawValue, finding.message]
        .map(\.printable)
    }
    var widths = [0, 0, 0]
    for row in rows {
      for column in widths.indices { widths[column] = Swift.max(widths[column], row[column].count) }
    }
    return rows.map { row in
      let columns = zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count + 2)
      }
      return columns.joined() + row[3] + "\n"
    }.joined()
  }
}
