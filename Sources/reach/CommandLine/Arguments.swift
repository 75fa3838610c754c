internal import Hooks
internal import Posix
internal import Reachability

/// A command's options and operands, as they were given.
struct Arguments {
  private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]

  /// Sorts words by what a command declares; `--opt=value` and `--opt value`, `--` ends options.
  init(
    _ words: [String], for options: [Option], takingEmptyWords: Bool = false
  ) throws(UsageError) {
    try sort(words, for: options)
    // As a path it would be the present folder.
    guard takingEmptyWords || !operands.contains("") else {
      throw UsageError("an empty word is given, which names nothing")
    }
  }

  private mutating func sort(_ words: [String], for options: [Option]) throws(UsageError) {
    var rest = words[...]
    while var word = rest.popFirst() {
      if word == "--" {
        operands += rest
        return
      }
      if word == "-h" { word = CommandLineInterface.help.name }
      guard word.hasPrefix("--") else {
        guard word == "-" || !word.hasPrefix("-") else {
          throw UsageError("unknown option \(word.printable); options are long: --help")
        }
        operands.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard let option = options.first(where: { $0.name == name }) else {
        let hint = Nearest.match(to: name, among: options.map(\.name))
        throw UsageError(
          "unknown option \(name.printable)" + (hint.map { "; did you mean \($0)?" } ?? ""))
      }
      try take(option, parts.count == 2 ? String(parts[1]) : nil, &rest)
    }
  }

  private mutating func take(
    _ option: Option, _ attached: String?, _ rest: inout ArraySlice<String>
  ) throws(UsageError) {
    guard let placeholder = option.value else {
      guard attached == nil else { throw UsageError("\(option.name) takes no value") }
      values[option.name] = []
      return
    }
    guard let value = attached ?? rest.popFirst() else {
      throw UsageError("\(option.name) needs a value: \(option.name) \(placeholder)")
    }
    values[option.name, default: []].append(value)
  }

  /// Whether a switch was given.
  func has(_ option: Option) -> Bool { values[option.name] != nil }

  /// An option's value; the last counts where it was given twice.
  func value(_ option: Option) -> String? { values[option.name]?.last }

  /// An option's value as a duration.
  func duration(_ option: Option) throws(UsageError) -> Duration? {
    guard let text = value(option) else { return nil }
    guard let duration = Duration(parsing: text) else {
      throw UsageError(
        "\(option.name): \"\(text.printable)\" is not a duration; try 250ms, 10s or 1m30s")
    }
    return duration
  }

  /// An option's value as a count from 1.
  func count(_ option: Option) throws(UsageError) -> Int? {
    guard let text = value(option) else { return nil }
    guard let count = Int(text), count >= 1 else {
      throw UsageError("\(option.name): \"\(text.printable)\" is not a count from 1")
    }
    return count
  }

  /// An option's value as one of a few words.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ option: Option, _: Choice.Type
  ) throws(UsageError) -> Choice? {
    guard let text = value(option) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let words = Choice.allCases.map(\.rawValue)
      throw UsageError(
        "\(option.name): \"\(text.printable)\" is none of \(words.joined(separator: ", "))"
          + Nearest.hint(for: text, among: words))
    }
    return choice
  }

  /// How the monitor is to work, by `--medium` and `--settle`.
  func monitorOptions() throws(UsageError) -> ReachabilityMonitor.Options {
    var options = ReachabilityMonitor.Options()
    options.media = try media()
    if let settle = try duration(CommonOption.settle) { options.settle = settle }
    return options
  }

  /// What an interface can be taken for.
  static let media: [Medium] = [.wired, .wifi, .wwan, .other]

  /// The media given by `--medium NAME=MEDIUM`.
  func media() throws(UsageError) -> [String: Medium] {
    var given: [String: Medium] = [:]
    for text in values[CommonOption.medium.name] ?? [] {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let name = try? Target.Subject.interfaceName(String(parts[0])) else {
        throw UsageError("--medium: \"\(text.printable)\" is not NAME=MEDIUM, as in usb0=wwan")
      }
      guard let medium = Arguments.media.first(where: { $0.rawValue == parts[1] }) else {
        throw UsageError(
          "--medium: \"\(String(parts[1]).printable)\" is none of wired, wifi, wwan, other"
            + Nearest.hint(for: String(parts[1]), among: Arguments.media.map(\.rawValue)))
      }
      given[name] = medium
    }
    return given
  }
}

extension Arguments {
  /// The paths that were given, or the folder that is read where none is.
  ///
  /// - Parameters:
  ///   - others: how many other operands stand before them.
  ///   - example: the command with a path.
  /// - Returns: files and folders.
  /// - Throws: where none is given and that folder is not there.
  func pathsOrStandard(after others: Int = 0, example: String) throws(UsageError) -> [String] {
    guard operands.count <= others else { return Array(operands.dropFirst(others)) }
    let folder = ScriptSource.standardFolder
    guard FileDescriptor.exists(folder) else {
      throw UsageError("there is no \(folder) yet; make it, or name a file: \(example)")
    }
    return [folder]
  }
}

extension ScriptSource {
  /// Finds the scripts at files and in folders, of which there must be one at least.
  ///
  /// - Throws: where a path itself cannot be opened, or no script is there.
  static func scripts(at paths: [String]) throws -> Discovery {
    let discovery = try discover(paths)
    guard !discovery.sources.isEmpty || !discovery.refusals.isEmpty else {
      throw UsageError("no script in \(paths.joined(separator: ", ").printable)")
    }
    return discovery
  }
}

extension Target {
  /// Reads a TARGET of the command line; events call it as it was given.
  init(argument text: String) throws(UsageError) {
    do { try self.init(parsing: text) } catch {
      throw UsageError("\(error)".printable)
    }
  }
}
