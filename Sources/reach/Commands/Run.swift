internal import Hooks
internal import Posix
internal import Reachability

/// The main job: watch, and run hooks.
enum Run: Command {
  static let name = "run"
  static let summary = "watch, and run the hooks of files or folders"
  static let operands = "[PATH…]"
  static let options = [
    CommonOption.medium, CommonOption.settle, stateFolder, CommonOption.socket, level, format,
  ]

  static let details = """
    Without PATH these are the hooks in /etc/reach/hooks for root, in ~/.config/reach/hooks for
    others; where that folder is missing it is waited for. Each transition and each outcome of a hook
    is a line of the log. Scripts that are changed, added or removed take effect by themselves.

    """

  private static let stateFolder = Option(
    "--state-dir", "FOLDER", "where state is kept (default /var/lib/reach for root)")
  private static let level = Option(
    "--log-level", "LEVEL", "debug, info (default), warn or error", among: Log.Level.self)
  private static let format = Option(
    "--log-format", "FORMAT", "text (default) or json", among: Log.Format.self)

  static func run(_ arguments: Arguments) throws -> ExitCode {
    let paths = arguments.operands.isEmpty ? [ScriptSource.standardFolder] : arguments.operands
    let log = Log(
      level: try arguments.choice(level, Log.Level.self) ?? .info,
      format: try arguments.choice(format, Log.Format.self) ?? .text)
    let options = try arguments.monitorOptions()
    // The standard folder is waited for where it is not there; a path that is given is meant.
    let isThere = !arguments.operands.isEmpty || FileDescriptor.exists(paths[0])
    let discovery = isThere ? try ScriptSource.discover(paths) : ScriptSource.Discovery()
    let folder = arguments.value(stateFolder) ?? StateFolder.standard
    let state = try StateFolder(folder)
    let socket =
      arguments.value(CommonOption.socket) ?? ControlSocket.standardPath(stateFolder: folder)
    // Blocked before any other thread exists, so that no other thread takes them.
    let signals = try Signals([Signals.terminate, Signals.interrupt, Signals.hangUp])
    Signals.setDispositions()
    Program.raiseDescriptorLimit()
    let loop = try EventLoop()
    let marker: CrashMarker?
    do { marker = try CrashMarker(inFolder: folder) } catch {
      // Without it everything works but this.
      log.write(.warn, "no crash marker: \(error)")
      marker = nil
    }
    let daemon = Daemon(
      host: try HookHost(
        on: loop, options: options, log: log, stateFile: "\(folder)/state.db", marker: marker),
      signals: signals, on: loop)
    loop.post {
      daemon.assumeIsolated { daemon in
        daemon.start(discovery, from: paths, answeringAt: socket) { reason, code in
          StandardStream.error.write("reach run: \(reason)\n")
          daemon.assumeIsolated { $0.fail(code) }
        }
      }
    }
    loop.run()
    marker?.end()
    withExtendedLifetime(state) {}
    return daemon.exitCode
  }
}

/// Joins the host to the signals of the process.
private actor Daemon {
  private let loop: EventLoop
  private let host: HookHost
  private let signals: Signals
  private var control: ControlSocket?
  private var isStopping = false
  // Read after the loop has ended, when nothing else runs.
  nonisolated(unsafe) private(set) var exitCode = ExitCode.success

  init(host: HookHost, signals: consuming Signals, on loop: EventLoop) {
    self.host = host
    self.signals = signals
    self.loop = loop
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  func start(
    _ discovery: ScriptSource.Discovery, from paths: [String], answeringAt socket: String,
    failure: @escaping @Sendable (String, ExitCode) -> Void
  ) {
    do {
      try FileDescriptor.makeFolders(ofFile: socket)
      control = try ControlSocket(socket, on: loop) { [host] request, answer in
        host.assumeIsolated { $0.take(request, answer: answer) }
      }
      _ = try loop.watch(signals.descriptor) { [unowned self] in
        assumeIsolated { $0.takeSignals() }
      }
    } catch {
      return failure("\(error)", .usage)
    }
    if let supervisor = ServiceSupervisor() {
      host.assumeIsolated { $0.supervise(by: supervisor) }
    }
    host.assumeIsolated { $0.start(discovery, from: paths) { failure($0, .no) } }
  }

  func fail(_ code: ExitCode) {
    exitCode = code
    end()
  }

  private func end() {
    control?.close()
    control = nil
    loop.stop()
  }

  private func takeSignals() {
    while let signal = signals.next() {
      if signal == Signals.hangUp {
        host.assumeIsolated { $0.reload() }
      } else if isStopping {
        end()
      } else {
        isStopping = true
        host.assumeIsolated { [weak self] in
          $0.stop { [weak self] in self?.assumeIsolated { $0.end() } }
        }
      }
    }
  }
}
