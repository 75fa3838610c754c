internal import Hooks
internal import Reachability

/// Says what may come next on an unfinished command line; the shells' completions ask it.
struct Completion {
  /// What a shell is to offer.
  enum Offer: Equatable {
    case words([Candidate])
    /// Paths, which the shell knows best how to complete.
    case files
    case folders

    /// One line each: the word, a tab and what it means, or no word and the kind of path that fits.
    var text: String {
      switch self {
      case .words(let candidates): candidates.map { "\($0.word)\t\($0.help)\n" }.joined()
      case .files: "\tfiles\n"
      case .folders: "\tfolders\n"
      }
    }
  }

  /// A word that may come next; one that ends in `=` or `:` goes on.
  struct Candidate: Equatable {
    let word: String
    let help: String
  }

  /// The names of this machine's interfaces.
  let interfaces: () -> [String]
  /// The hooks of the daemon that answers at a path; nil stands for the usual one.
  let hooks: (_ socket: String?) -> [HookPlace]
  /// The names of the shipped hooks.
  let shippedHooks: () -> [String]

  /// What the last word, which may be empty, can become.
  ///
  /// - Parameter words: the command line up to there, without the program's name.
  /// - Returns: the words that begin as it does, or the kind of path that it is.
  func offer(for words: [String]) -> Offer {
    guard let word = words.last else { return .words([]) }
    let offer = unfiltered(words.dropLast(), word)
    guard case .words(let candidates) = offer else { return offer }
    // What holds a control character, such as a line's end, cannot be handed to a shell.
    return .words(candidates.filter { $0.word.hasPrefix(word) && $0.word.printable == $0.word })
  }

  private func unfiltered(_ before: ArraySlice<String>, _ word: String) -> Offer {
    guard let name = before.first else {
      return .words(word.hasPrefix("-") ? Completion.programOptions : Completion.commands)
    }
    guard let command = CommandLineInterface.commands.first(where: { $0.name == name }) else {
      return .words([])
    }
    let line = UnfinishedLine(
      before.dropFirst(), options: command.options + [CommandLineInterface.help])
    if let option = line.unfinishedOption { return offer(of: option, "", word, line) }
    if !line.hasEndedOptions, word.hasPrefix("-") {
      if let (option, value) = line.option(attachedTo: word) {
        return offer(of: option, "\(option.name)=", value, line)
      }
      return .words(line.options.map { Candidate(word: $0.name, help: $0.help) })
    }
    let operands = Operand.list(command.operands)
    let isListed = operands.indices.contains(line.operandCount)
    guard
      let operand = isListed ? operands[line.operandCount] : operands.last(where: \.isRepeated)
    else {
      return .words(line.options.map { Candidate(word: $0.name, help: $0.help) })
    }
    return offer(of: Placeholder(operand.placeholder), "", word, line)
  }

  private static var commands: [Candidate] {
    CommandLineInterface.commands.map { Candidate(word: $0.name, help: $0.summary) }
  }

  private static var programOptions: [Candidate] {
    CommandLineInterface.options.map { Candidate(word: $0.name, help: $0.help) }
  }

  // MARK: Values

  private func offer(
    of option: Option, _ prefix: String, _ word: String, _ line: UnfinishedLine
  ) -> Offer {
    if let words = option.words {
      return .words(words.map { Candidate(word: prefix + $0, help: "") })
    }
    return offer(of: Placeholder(option.value ?? ""), prefix, word, line)
  }

  /// - Parameters:
  ///   - kind: what the value is.
  ///   - prefix: what stands before it in the same word.
  ///   - word: what there is of the value.
  ///   - line: what stands before that word.
  /// - Returns: all that the value can be.
  private func offer(
    of kind: Placeholder, _ prefix: String, _ word: String, _ line: UnfinishedLine
  ) -> Offer {
    func words(_ candidates: [(word: String, help: String)]) -> Offer {
      .words(candidates.map { Candidate(word: prefix + $0.word, help: $0.help) })
    }
    switch kind {
    case .text: return .words([])
    case .file: return .files
    case .folder: return .folders
    case .status: return words(FireRequest.statuses.map { ($0.rawValue, "") })
    case .target: return words(targets)
    case .medium: return words(media(word))
    case .field: return words(fields(word))
    case .shippedHook: return words(shippedHooks().map { ($0, "shipped hook") })
    case .hook: return words(hooks(line.socket).filter { $0.hook != nil }.map { ($0.text, "hook") })
    case .script:
      return words(hooks(line.socket).map { ($0.text, $0.hook == nil ? "script" : "hook") })
    }
  }

  private var targets: [(String, String)] {
    var targets: [(String, String)] = []
    for form in TargetForm.all {
      switch form.form {
      case "interface:NAME": targets += interfaces().map { ("interface:\($0)", form.meaning) }
      case "network:SSID": targets.append(("network:", form.meaning))
      case let word where word == word.lowercased(): targets.append((word, form.meaning))
      default: break
      }
    }
    return targets
  }

  /// `eth0=`, and then `eth0=wired`.
  private func media(_ word: String) -> [(String, String)] {
    guard let end = word.firstIndex(of: "=") else {
      return interfaces().map { ("\($0)=", "interface") }
    }
    return Arguments.media.map { ("\(word[..<end])=\($0.rawValue)", "medium") }
  }

  /// `via=`, and then `via=wifi`.
  private func fields(_ word: String) -> [(String, String)] {
    guard let end = word.firstIndex(of: "=") else {
      return FireRequest.keys.map { ("\($0)=", "field of the event") }
    }
    let key = word[..<end]
    let values: [String] =
      switch key {
      case "via": Medium.allCases.map(\.rawValue)
      case "reason": Reason.allCases.map(\.rawValue)
      case "cause": Cause.allCases.map(\.rawValue)
      case "interface": interfaces()
      case "vpn", "metered", "initial", "retried": ["true", "false"]
      default: []
      }
    return values.map { ("\(key)=\($0)", "") }
  }
}

/// The finished words behind a command's name, of which nothing need be right yet.
private struct UnfinishedLine {
  let options: [Option]
  private(set) var operandCount = 0
  private(set) var hasEndedOptions = false
  /// An option whose value comes next.
  private(set) var unfinishedOption: Option?
  /// What `--socket` was given.
  private(set) var socket: String?

  init(_ words: ArraySlice<String>, options: [Option]) {
    self.options = options
    for word in words { take(word) }
  }

  private mutating func take(_ word: String) {
    if let option = unfinishedOption {
      unfinishedOption = nil
      set(option, word)
    } else if hasEndedOptions || !word.hasPrefix("-") {
      operandCount += 1
    } else if word == "--" {
      hasEndedOptions = true
    } else if let (option, value) = option(attachedTo: word) {
      set(option, value)
    } else {
      unfinishedOption = options.first { $0.name == word && $0.value != nil }
    }
  }

  private mutating func set(_ option: Option, _ value: String) {
    if option.name == CommonOption.socket.name { socket = value }
  }

  /// The option and the value of `--option=value`.
  func option(attachedTo word: String) -> (Option, value: String)? {
    guard let end = word.firstIndex(of: "="),
      let option = options.first(where: { $0.name == word[..<end] && $0.value != nil })
    else { return nil }
    return (option, String(word[word.index(after: end)...]))
  }
}
