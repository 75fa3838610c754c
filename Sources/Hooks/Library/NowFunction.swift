internal import Lua
internal import Posix

extension LibraryFunction {
  /// Seconds that run on through suspend, for measuring how long something took.
  static let now = LibraryFunction(name: "reach.now") { context, _, results in
    results.number(context.clock.now.seconds)
    return .returned
  }
}
