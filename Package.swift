// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]
let cSettings: [CSetting] = [.treatAllWarnings(as: .error), .enableWarning("all")]

let package = Package(
  name: "Reach",
  products: [
    .executable(name: "reach", targets: ["reach"]),
    .library(name: "Reachability", targets: ["Reachability"]),
    .library(name: "Hooks", targets: ["Hooks"]),
  ],
  targets: [
    .executableTarget(name: "reach", dependencies: ["Hooks", "Reachability", "Netlink", "Posix"]),
    .target(name: "Hooks", dependencies: ["Reachability", "Posix"]),
    .target(name: "Reachability", dependencies: ["Netlink", "Posix"]),
    .target(name: "Netlink", dependencies: ["CNetlink", "Posix"]),
    .target(name: "CNetlink"),
    .target(name: "Posix", dependencies: ["CPosix"]),
    .target(name: "CPosix"),

    .target(name: "CTestSupport", path: "Tests/Support/CTestSupport"),
    .target(name: "TestSupport", dependencies: ["Posix"], path: "Tests/Support/TestSupport"),
    .testTarget(name: "PosixTests", dependencies: ["Posix", "CTestSupport", "TestSupport"]),
    .testTarget(
      name: "NetlinkTests",
      dependencies: ["Netlink", "CNetlink", "Posix", "CTestSupport", "TestSupport"]),
    .testTarget(
      name: "ReachabilityTests",
      dependencies: ["Reachability", "Netlink", "Posix", "CTestSupport", "TestSupport"]),
  ]
)

for target in package.targets where target.type != .system {
  if ["CPosix", "CNetlink", "CLuaHost", "CTestSupport"].contains(target.name) {
    target.cSettings = cSettings
  } else {
    target.swiftSettings = settings
  }
}
