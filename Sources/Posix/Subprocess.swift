internal import CPosix
internal import Glibc

/// A command that runs beside the event loop, in a process group of its own.
///
/// It ends when the child exits, whoever still holds its pipes. All of it happens on the loop.
public final class Subprocess {
  /// What to run.
  public struct Configuration: Sendable {
    /// The program and its arguments; without NUL bytes.
    public var arguments: [[UInt8]]
    /// What the child reads; nothing where it is nil.
    public var input: [UInt8]?
    /// The folder it starts in; the process's own where it is nil.
    public var directory: String?
    /// Its environment, as `NAME=value`.
    public var environment: [String]
    /// How long it may run.
    public var timeout: Duration

    /// A command without input, with the environment of this process, for at most 30 s.
    public init(arguments: [[UInt8]]) {
      self.arguments = arguments
      environment = Program.environment
      timeout = .seconds(30)
    }
  }

  /// How it ended.
  public struct Result: Hashable, Sendable {
    /// The exit code, where it exited.
    public var code: Int32?
    /// The signal that ended it, where one did.
    public var signal: Int32?
    /// What it wrote, up to `Subprocess.mostOutput` bytes.
    public var output: [UInt8] = []
    /// What it wrote to the error stream, up to as many.
    public var errors: [UInt8] = []
    /// Whether it ran out of time.
    public var timedOut = false
    /// Whether it wrote more than was kept.
    public var isTruncated = false

    /// A command that did not run.
    public init() {}
  }

  /// How many bytes are kept of each stream.
  public static let mostOutput = 65536
  /// How long a group that was asked to end has until it is killed.
  static let grace = Duration.seconds(2)
  /// How long a killed child, which may hang in the kernel, is waited for.
  static let patience = Duration.seconds(1)
  /// How long output is still read after the child's end.
  static let lastWords = Duration.milliseconds(100)

  private let loop: EventLoop
  private let pid: pid_t
  private let pidDescriptor: FileDescriptor
  private var pidSource: EventLoop.Source?
  private let output: PipeReader
  private let errors: PipeReader
  private var input: PipeWriter?
  private var timer: LoopTimer?
  private var result = Result()
  private var isEnding = false
  private var completion: ((Result) -> Void)?

  /// Starts a command.
  ///
  /// - Parameters:
  ///   - configuration: what to run.
  ///   - loop: where it is followed; the caller is on it.
  ///   - completion: is called once on the loop, never before this returns.
  /// - Throws: what the kernel says where the program cannot be run.
  public init(
    _ configuration: Configuration, on loop: EventLoop, completion: @escaping (Result) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.completion = completion
    output = try PipeReader(on: loop, limit: Subprocess.mostOutput)
    errors = try PipeReader(on: loop, limit: Subprocess.mostOutput)
    if let bytes = configuration.input { input = try PipeWriter(bytes, on: loop) }
    let nothing = try FileDescriptor(opening: "/dev/null", flags: O_RDONLY)
    pid = try Subprocess.spawn(
      configuration, input: input?.childEnd ?? nothing.number, output: output.childEnd,
      errors: errors.childEnd)
    let pidNumber = cposix_pidfd_open(pid)
    guard pidNumber >= 0 else {
      let failure = SystemError("follow process \(pid)")
      kill(-pid, SIGKILL)
      cposix_reap_now(pid)
      throw failure
    }
    pidDescriptor = FileDescriptor(owning: pidNumber)
    // The process follows its own life: each closure keeps this object until that ends.
    do {
      pidSource = try loop.watch(pidDescriptor) { [self] in childEnded() }
      try output.begin { [self] in streamEnded() }
      try errors.begin { [self] in streamEnded() }
      try input?.begin()
      timer = loop.schedule(at: .now + configuration.timeout) { [self] in timeOut() }
    } catch {
      self.completion = nil
      kill(-pid, SIGKILL)
      closeStreams()
      throw error
    }
  }

  /// Asks the child and its group to end, and kills them where they do not.
  public func terminate() {
    guard completion != nil, result.code == nil, result.signal == nil, !isEnding else { return }
    isEnding = true
    kill(-pid, SIGTERM)
    setTimer(Subprocess.grace) { $0.killGroup() }
  }

  // MARK: -

  private func timeOut() {
    result.timedOut = true
    terminate()
  }

  private func killGroup() {
    kill(-pid, SIGKILL)
    setTimer(Subprocess.patience) { $0.finish() }
  }

  private func childEnded() {
    // What is left of the group dies before its leader's number can be given to another process.
    if isEnding { kill(-pid, SIGKILL) }
    var status: Int32 = 0
    let isReaped = cposix_reap(pid, &status) == 0
    if !isReaped, errno == EAGAIN { return }
    if let pidSource { loop.cancel(pidSource) }
    pidSource = nil
    if !isReaped {
      // Somebody else has reaped it; how it ended is not known.
    } else if cposix_exited(status) != 0 {
      result.code = cposix_exit_code(status)
    } else {
      result.signal = cposix_term_signal(status)
    }
    setTimer(Subprocess.lastWords) { $0.finish() }
    streamEnded()
  }

  /// Finishes early where the child has ended and nobody holds its pipes any more.
  private func streamEnded() {
    if pidSource == nil, !output.isOpen, !errors.isOpen { finish() }
  }

  private func finish() {
    guard let completion else { return }
    self.completion = nil
    if let timer { loop.cancel(timer) }
    timer = nil
    closeStreams()
    result.output = output.bytes
    result.errors = errors.bytes
    result.isTruncated = output.isTruncated || errors.isTruncated
    completion(result)
  }

  private func closeStreams() {
    output.finish()
    errors.finish()
    input?.close()
  }

  private func setTimer(_ delay: Duration, _ body: @escaping (Subprocess) -> Void) {
    if let timer { loop.cancel(timer) }
    timer = loop.schedule(at: .now + delay) { [self] in body(self) }
  }

  private static func spawn(
    _ configuration: Configuration, input: Int32, output: Int32, errors: Int32
  ) throws(SystemError) -> pid_t {
    let arguments = CStringArray(configuration.arguments)
    let environment = CStringArray(configuration.environment.map { Array($0.utf8) })
    var pid: pid_t = 0
    let code = cposix_spawn(
      &pid, arguments.first, arguments.pointer, environment.pointer, configuration.directory,
      input, output, errors)
    guard code == 0 else {
      let name = String(decoding: configuration.arguments.first ?? [], as: UTF8.self)
      throw SystemError("run \(name)", code: code)
    }
    return pid
  }
}

/// A NULL-terminated array of C strings, as exec wants it.
private struct CStringArray: ~Copyable {
  let pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ strings: [[UInt8]]) {
    count = strings.count
    pointer = .allocate(capacity: strings.count + 1)
    for (index, string) in strings.enumerated() {
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: string.count + 1)
      for (offset, byte) in string.enumerated() { copy[offset] = CChar(bitPattern: byte) }
      copy[string.count] = 0
      (pointer + index).initialize(to: copy)
    }
    (pointer + strings.count).initialize(to: nil)
  }

  var first: UnsafeMutablePointer<CChar>? { pointer[0] }

  deinit {
    for index in 0..<count { pointer[index]?.deallocate() }
    pointer.deallocate()
  }
}
