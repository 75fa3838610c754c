internal import Lua
internal import Posix
internal import Reachability

/// What a rehearsal shows: everything that happened, in order, and what was not done but noted.
///
/// Lines of the log come from the threads that run Lua, all else from that which leads the rehearsal.
final class Stage: Sendable {
  /// What would have been done.
  enum Deed: Sendable {
    case command(CommandEffect)
    case request(HTTPRequest)
    case notification(DesktopNotification)
    case file(WriteEffect)
  }

  enum Happening: Sendable {
    /// Handlers of a hook are called.
    case call(Event, HandlerSet)
    case deed(Deed)
    /// A run has failed, or a limit has killed it.
    case failure(String)
    /// A script could not be loaded.
    case loadFault(String)
    case line(Log.Line)
  }

  struct Entry: Sendable {
    let moment: BootInstant
    /// `script/hook`, or the script.
    let origin: String
    let happening: Happening
  }

  private struct Shared {
    var entries: [Entry] = []
    /// What is answered to deeds that hold a text, the newest last.
    var answers: [(text: String, answer: StagedAnswer)] = []
    /// The texts for which no deed has come yet.
    var unasked: [String] = []
  }

  private let shared = Lock(Shared())

  var entries: [Entry] { shared.withLock { $0.entries } }

  func note(_ happening: Happening, of origin: String, at moment: BootInstant) {
    let entry = Entry(moment: moment, origin: origin, happening: happening)
    shared.withLock { $0.entries.append(entry) }
  }

  /// Answers from now on so where a command line, URL, path or title holds that text.
  func answer(_ text: String, with answer: StagedAnswer) {
    shared.withLock { shared in
      if !shared.answers.contains(where: { $0.text == text }) { shared.unasked.append(text) }
      shared.answers.removeAll { $0.text == text }
      shared.answers.append((text, answer))
    }
  }

  /// The texts that no deed has held which had its answer from them.
  var unaskedAnswers: [String] { shared.withLock { $0.unasked } }

  /// Notes what a run would do, and returns what it is answered.
  func perform(_ deed: Deed, for wait: Wait) -> StagedAnswer {
    note(.deed(deed), of: wait.origin, at: wait.loop.clock.now)
    let text = deed.text
    return shared.withLock { shared in
      guard let found = shared.answers.last(where: { text.contains($0.text) }) else {
        return StagedAnswer()
      }
      shared.unasked.removeAll { $0 == found.text }
      return found.answer
    }
  }
}

extension Stage.Deed {
  /// What is compared with the texts of answers: the command line, URL, path or title.
  var text: String {
    switch self {
    case .command(let command): command.words.joined(separator: " ")
    case .request(let request): request.url.description
    case .notification(let notification): notification.title
    case .file(let file): file.path
    }
  }
}

extension CommandEffect {
  /// Its arguments, the program first, as texts.
  var words: [String] {
    configuration.arguments.map { String(decoding: $0, as: UTF8.self) }
  }
}

extension Wait {
  /// Calls `body` after the time that a rehearsed deed takes, unless the wait is given up before;
  /// then `ending`.
  func rehearse(
    for duration: Duration, ending: @escaping () -> Void = {}, _ body: @escaping () -> Void
  ) {
    let timer = loop.schedule(at: loop.clock.now + duration, body)
    self.ending = { [loop] in
      loop.cancel(timer)
      ending()
    }
  }
}
