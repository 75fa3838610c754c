internal import Posix

/// Keeps the addresses of host names: asks nameservers, and the C library for what these cannot know.
///
/// Nothing is asked of nameservers to which there is no path. Lives on an event loop: all of its
/// methods are called there.
final class NameResolver {
  private let loop: EventLoop
  private let files: ResolverFiles
  private let isolate: @Sendable (@escaping @Sendable (NameResolver) -> Void) -> Void
  private let changed: (Set<String>) -> Void
  private var observer: FileObserver?
  private var isStarted = false

  private var settings: ResolverSettings
  private var table = NameTable()
  private var health = NameserverHealth()
  private var repeats: TokenBucket
  private var channels: [Nameserver: DNSChannel] = [:]
  private var lookups: [String: (question: NameTable.Question, lookup: NameLookup)] = [:]
  private let threads = ThreadPool(threads: NameResolver.mostSystemLookups, name: "reach-names")
  private var systemLookups = 0

  /// How the kernel would send to each nameserver to which it has a path.
  private var paths: [Nameserver: Path] = [:]
  private var timer: LoopTimer?
  private var news: Set<String> = []
  private var newsTimer: LoopTimer?
  private var nextNews: BootInstant?

  /// Two questions each, which makes 64 in flight: of more at once datagrams are lost.
  static let mostLookups = 32
  /// The C library blocks a thread with each.
  static let mostSystemLookups = 4
  /// The questions in a second about names that were asked for before.
  static let repeatsPerSecond: Int64 = 200

  /// - Parameters:
  ///   - loop: where the resolver lives.
  ///   - files: what says how names are resolved; watched for changes.
  ///   - isolate: calls its argument with this resolver, on the loop, if it still lives.
  ///   - changed: is called with the names of which more, or something else, is known; with none
  ///     where others than before are the nameservers.
  init(
    on loop: EventLoop, files: ResolverFiles = ResolverFiles(),
    isolate: @escaping @Sendable (@escaping @Sendable (NameResolver) -> Void) -> Void,
    changed: @escaping (Set<String>) -> Void
  ) {
    self.loop = loop
    self.files = files
    self.isolate = isolate
    self.changed = changed
    settings = ResolverSettings(reading: files)
    repeats = TokenBucket(perSecond: NameResolver.repeatsPerSecond, at: .now)
  }

  deinit { threads.close() }

  // MARK: Names

  /// What is known of a name.
  subscript(name: String) -> NameTable.Entry? { table[name] }

  /// Adds a user of a name; one that is new is asked for by the next `ask`.
  func add(_ name: String) {
    if table.add(name) { assign(name) }
  }

  /// Takes a user of a name away.
  func remove(_ name: String) {
    table.remove(name)
    if table[name] == nil { lookups.removeValue(forKey: name)?.lookup.cancel() }
  }

  /// Asks for what is due, and begins to watch the files.
  ///
  /// - Throws: what the kernel says where files cannot be watched; names are resolved nevertheless.
  func start() throws(SystemError) {
    guard !isStarted else { return ask() }
    isStarted = true
    ask()
    observer = try FileObserver(files.paths, on: loop) { [weak self] in self?.readSettings() }
  }

  /// Ends all asking; answers that are still to come are dropped.
  func stop() {
    for timer in [timer, newsTimer].compactMap(\.self) { loop.cancel(timer) }
    timer = nil
    newsTimer = nil
    observer?.cancel()
    observer = nil
    cancelLookups()
    closeChannels()
    threads.close()
  }

  /// Asks for every name again, as when the default route leads another way.
  func refresh() {
    cancelLookups()
    health = NameserverHealth()
    table.expireAll(at: .now)
    setTimer(at: .now)
  }

  // MARK: Nameservers

  /// The nameservers that are to be judged, as other targets are.
  var nameservers: [Nameserver] { settings.nameservers }

  /// Whether there is a path to any nameserver.
  var hasPath: Bool { !paths.isEmpty }

  /// Takes in how the kernel would send to each nameserver to which it has a path; where one is new,
  /// or another, all names are asked for again.
  func note(paths new: [Nameserver: Path]) {
    let isNews = new.contains { server, path in paths[server]?.isWay(of: path) != true }
    paths = new
    if isNews { refresh() }
    // Where nothing can be asked there is nothing to wait for.
    if new.isEmpty { concede() }
  }

  private func concede() {
    let conceded = table.concede(.nameservers)
    if !conceded.isEmpty { announce(conceded) }
  }

  /// Reads the files anew, and begins anew where they say something else.
  private func readSettings() {
    let new = ResolverSettings(reading: files)
    guard new != settings else { return }
    settings = new
    cancelLookups()
    closeChannels()
    health = NameserverHealth()
    paths = paths.filter { new.nameservers.contains($0.key) }
    for name in Array(table.names) { assign(name) }
    // Others than before must be judged before they are asked.
    announce([])
    setTimer(at: .now)
  }

  private func assign(_ name: String) {
    switch settings.source(of: name) {
    case .file(let addresses):
      if table.assign(name, addresses: addresses) { announce([name]) }
    case .nameservers: table.assign(name, to: .nameservers, at: .now)
    case .system: table.assign(name, to: .system, at: .now)
    }
  }

  // MARK: Asking

  /// Asks for what is due, and sets the timer for what will be.
  func ask() {
    let now = BootInstant.now
    askNameservers(at: now)
    askSystem(at: now)
    if let next = [nextOfNameservers, nextOfSystem].compactMap(\.self).min() {
      setTimer(at: next)
    } else {
      setTimer(at: nil)
    }
  }

  /// When nameservers are to be asked next, where no answer comes before.
  private var nextOfNameservers: BootInstant? {
    guard hasPath, lookups.count < mostLookups else { return nil }
    let next = table.next(of: .nameservers)
    let known = next.known.map { max($0, repeats.instant(of: 2)) }
    guard let due = [next.new, known].compactMap(\.self).min() else { return nil }
    return max(due, health.nextAttempt ?? due)
  }

  private var nextOfSystem: BootInstant? {
    guard systemLookups < NameResolver.mostSystemLookups else { return nil }
    let next = table.next(of: .system)
    return [next.new, next.known].compactMap(\.self).min()
  }

  /// While nobody answers, one is asked at a time.
  private var mostLookups: Int { health.nextAttempt == nil ? NameResolver.mostLookups : 1 }

  private func askNameservers(at now: BootInstant) {
    while hasPath, lookups.count < mostLookups, (health.nextAttempt ?? now) <= now,
      let question = table.begin(
        at: .nameservers, at: now, mayRepeat: repeats.has(2, at: now))
    {
      let channels = health.order(nameservers.filter { paths[$0] != nil }, at: now)
        .compactMap(channel)
      guard case .nameservers(let candidates) = settings.source(of: question.name),
        !channels.isEmpty
      else {
        // This machine has no memory for a channel now.
        take(.failure(.notAsked), to: question)
        return
      }
      begin(question, candidates, channels)
    }
  }

  private func begin(
    _ question: NameTable.Question, _ candidates: [String], _ channels: [DNSChannel]
  ) {
    if !question.isFirst { repeats.take(2, at: .now) }
    var steps: Int64 = 0
    let name = question.name
    let lookup = NameLookup(
      candidates, asking: channels,
      noting: { [weak self] step in
        steps += 1
        // The first two were paid for.
        if !question.isFirst, steps > 2 { self?.repeats.take(1, at: .now) }
        self?.health.note(step.answer, of: step.server, at: .now)
      },
      completion: { [weak self] answer in
        guard let self, let ended = lookups.removeValue(forKey: name) else { return }
        if case .failure = answer, health.noteFailure(since: ended.lookup.start, at: .now) {
          concede()
        }
        take(answer, to: question)
        ask()
      })
    lookups[name] = (question, lookup)
  }

  private func askSystem(at now: BootInstant) {
    while systemLookups < NameResolver.mostSystemLookups,
      let question = table.begin(at: .system, at: now)
    {
      systemLookups += 1
      threads.submit { [isolate] in
        let answer = NameAnswer(askingSystem: question.name)
        isolate { resolver in
          resolver.systemLookups -= 1
          resolver.take(answer, to: question)
          resolver.ask()
        }
      }
    }
  }

  private func take(_ answer: NameAnswer, to question: NameTable.Question) {
    if table.take(answer, to: question, at: .now) { announce([question.name]) }
  }

  private func channel(to server: Nameserver) -> DNSChannel? {
    if let channel = channels[server] { return channel }
    let channel = try? DNSChannel(to: server, on: loop)
    channels[server] = channel
    return channel
  }

  private func closeChannels() {
    for channel in channels.values { channel.close() }
    channels = [:]
  }

  /// Gives up what nameservers are being asked; the names are due again.
  private func cancelLookups() {
    let cancelled = lookups.values
    lookups = [:]
    for (question, lookup) in cancelled {
      lookup.cancel()
      table.release(question, at: .now)
    }
    // A question that nobody waits for would still hold its socket.
    if !cancelled.isEmpty { closeChannels() }
  }

  private func setTimer(at instant: BootInstant?) {
    if let timer { loop.cancel(timer) }
    timer = instant.map { instant in
      loop.schedule(at: instant) { [weak self] in self?.ask() }
    }
  }

  // MARK: News

  /// Tells of names once the loop is next free.
  ///
  /// All targets are judged for it; where that takes long, more answers are waited for each time, so
  /// that thousands of names do not cost thousands of judgements of thousands of targets.
  private func announce(_ names: some Sequence<String>) {
    news.formUnion(names)
    guard newsTimer == nil else { return }
    newsTimer = loop.schedule(at: max(.now, nextNews ?? .now)) { [weak self] in
      guard let self else { return }
      newsTimer = nil
      let told = news
      news = []
      let start = BootInstant.now
      changed(told)
      nextNews = BootInstant.now + (BootInstant.now - start) * 2
    }
  }
}
