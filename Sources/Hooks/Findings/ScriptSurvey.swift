internal import Posix

/// All that can be known of the scripts at some paths without running their hooks.
public struct ScriptSurvey: Sendable {
  /// The scripts, in the order in which they were found.
  public let checks: [ScriptCheck]
  /// What is wrong with the files and the scripts in them, or seldom meant.
  public let findings: [ScriptFinding]

  /// Finds the scripts at files and in folders, and loads them.
  ///
  /// - Parameter paths: files and folders; one that is not to be trusted is a finding.
  /// - Throws: where a path cannot be opened, or all are specs.
  public init(_ paths: [String]) throws(ScriptError) {
    var discovery = ScriptSource.Discovery()
    for path in paths {
      do throws(ScriptError) { try discovery.add(path) } catch {
        guard error.cause == .unsafe else { throw error }
        discovery.refusals.append(ScriptError(error.description, path: path, cause: .unsafe))
      }
    }
    try discovery.checkForSpecs(among: paths)
    checks = ScriptCheck.check(discovery.sources)
    let refusals = discovery.refusals.map { refusal in
      ScriptFinding(refusal, of: ScriptSource(foundAt: refusal.path ?? ""))
    }
    findings =
      refusals + checks.flatMap(\.findings)
      + discovery.specs.compactMap(ScriptFinding.init(straySpec:))
  }
}
