internal import Posix

/// What effects are done with, shared by all scripts; touched only on the loop.
final class Equipment {
  /// Threads for calls that block for as long as a file system does.
  let files = ThreadPool(threads: 2, name: "reach-files")

  deinit { files.close() }
}
