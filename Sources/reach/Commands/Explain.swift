internal import Hooks
internal import Posix
internal import Reachability

/// One evaluation with its whole chain.
enum Explain: Command {
  static let name = "explain"
  static let summary = "tell how a target is judged now, step by step, and why"
  static let operands = "TARGET"
  static let options = [CommonOption.json, CommonOption.medium]

  static func run(_ arguments: Arguments) throws -> ExitCode {
    guard let operand = arguments.operands.first, arguments.operands.count == 1 else {
      throw UsageError("exactly one target is needed; try: reach explain internet")
    }
    let target = try Target(argument: operand)
    let explanation = try Explanation(of: target, media: try arguments.media())
    let chain = Chain(target, explanation)
    StandardStream.output.write(arguments.has(CommonOption.json) ? chain.json + "\n" : chain.text)
    // A ready target that is misspelt was looked up as a host.
    if explanation.verdict.reason == .dns, !operand.contains("."),
      let meant = Nearest.match(to: operand, among: ["internet", "local_wifi"])
    {
      StandardStream.error.write("reach explain: did you mean \"\(meant)\"?\n")
    }
    switch explanation.verdict.status {
    case .reachable: return .success
    case .unreachable, .portal: return .no
    case .unknown: return .unknown
    }
  }
}
