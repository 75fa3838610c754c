import TestSupport
import Testing

/// What the documentation shows in Swift compiles as it stands there.
@Suite struct Documentation {
  private static let pages = [
    "README.md", "Sources/Reachability/Reachability.docc/Reachability.md",
    "Sources/Reachability/Reachability.docc/WatchingATarget.md",
    "Sources/Reachability/Reachability.docc/ComingFromSCNetworkReachability.md",
    "Sources/ReachabilityNotifications/ReachabilityNotifications.docc/ReachabilityNotifications.md",
  ]

  /// The blocks of Swift on a page, each a program.
  private static func programs(of page: String) throws -> [String] {
    let text = try Reach.shell("cat '\(page)'").output
    return text.split(separator: "```swift\n").dropFirst().map { rest in
      String(rest.prefix(upTo: rest.firstRange(of: "```")?.lowerBound ?? rest.endIndex))
    }
  }

  @Test(arguments: pages)
  func `every block of Swift compiles`(page: String) throws {
    let folder = try TemporaryFolder()
    let built = "/" + Reach.path.split(separator: "/").dropLast().joined(separator: "/")
    let programs = try Documentation.programs(of: page)
    #expect(!programs.isEmpty)
    for (number, program) in programs.enumerated() {
      try folder.write(
        "\(number)/main.swift", "import Observation\nimport Reachability\n" + program)
    }
    let result = try Reach.shell(
      """
      modules=$(find '\(built)' '\(Reach.package)/Sources' -maxdepth 2 -name module.modulemap \
        -printf '-I %h ')
      for file in */main.swift; do
        echo $file
        swiftc -typecheck -swift-version 6 -I '\(built)/Modules' $modules $file || echo failed
      done 2>&1
      """, in: folder.path, timeout: .seconds(300))
    #expect(result.output == programs.indices.map { "\($0)/main.swift\n" }.joined())
  }

  @Test func `every page of the libraries is looked at`() throws {
    // The guide for hook authors shows Lua: see `Guide`.
    let files = try Reach.shell("find Sources -name '*.md' | grep -v /Hooks.docc/ | sort").output
    #expect(
      files.split(separator: "\n").map(String.init) == Documentation.pages.dropFirst().sorted())
  }
}
