internal import Posix
internal import Reachability

/// What effects are done with, shared by all scripts; touched only on the loop.
final class Equipment {
  /// What stands for targets now.
  let targets = LiveTargets()
  /// Threads for calls that block for as long as a file system does.
  let files = ThreadPool(threads: 2, name: "reach-files")
  /// What requests are sent by; it opens libcurl with the first.
  private(set) lazy var http = HTTPClient(on: loop)
  /// What notifications are shown by; it connects with the first.
  private(set) lazy var desktop = Desktop(on: loop)
  /// Where effects are noted instead of being done; nil where they are done.
  let stage: Stage?

  private let loop: EventLoop

  init(on loop: EventLoop, stage: Stage? = nil) {
    self.loop = loop
    self.stage = stage
  }

  deinit { files.close() }
}
