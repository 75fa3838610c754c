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
    .library(name: "ReachabilityNotifications", targets: ["ReachabilityNotifications"]),
    .library(name: "Hooks", targets: ["Hooks"]),
  ],
  targets: [
    .executableTarget(
      name: "reach", dependencies: ["Hooks", "Reachability", "Netlink", "Posix"],
      exclude: ["Installation"]),
    .target(name: "Hooks", dependencies: ["Reachability", "Lua", "Storage", "DBus", "Posix"]),
    .target(name: "Lua", dependencies: ["CLuaHost"]),
    .target(name: "CLuaHost", dependencies: ["CLua"]),
    .systemLibrary(name: "CLua", pkgConfig: "lua5.4", providers: [.apt(["liblua5.4-dev"])]),
    .target(name: "Storage", dependencies: ["CSQLite", "Posix"]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "ReachabilityNotifications", dependencies: ["Reachability"]),
    .target(name: "Reachability", dependencies: ["CAres", "CCurl", "Netlink", "DBus", "Posix"]),
    .target(name: "CCurl", dependencies: ["CPosix"]),
    .systemLibrary(name: "CAres", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
    .target(name: "Netlink", dependencies: ["CNetlink", "Posix"]),
    .target(name: "CNetlink"),
    .target(name: "DBus", dependencies: ["CSystemd", "Posix"]),
    .target(name: "CSystemd", dependencies: ["CPosix"]),
    .target(name: "Posix", dependencies: ["CPosix"]),
    .target(name: "CPosix"),

    .executableTarget(
      name: "watch-internet", dependencies: ["Reachability"], path: "examples/watch-internet"),
    .executableTarget(
      name: "dispatch-benchmark", dependencies: ["Hooks", "Lua", "Reachability", "Posix"],
      path: "Tests/Benchmarks/Dispatch"),
    .executableTarget(
      name: "scale-benchmark", dependencies: ["Reachability", "Posix"],
      path: "Tests/Benchmarks/Scale"),

    .executableTarget(
      name: "network-services", path: "Tests/Support/NetworkServices",
      linkerSettings: [.linkedLibrary("systemd")]),
    .executableTarget(
      name: "notification-server", path: "Tests/Support/NotificationServer",
      linkerSettings: [.linkedLibrary("systemd")]),
    .target(name: "CTestSupport", path: "Tests/Support/CTestSupport"),
    .target(name: "CStockLua", dependencies: ["CLua"], path: "Tests/Support/CStockLua"),
    .target(name: "TestSupport", dependencies: ["Posix"], path: "Tests/Support/TestSupport"),
    .testTarget(name: "PosixTests", dependencies: ["Posix", "CTestSupport", "TestSupport"]),
    .testTarget(
      name: "NetlinkTests",
      dependencies: ["Netlink", "CNetlink", "Posix", "CTestSupport", "TestSupport"]),
    .testTarget(
      name: "ReachabilityTests",
      dependencies: [
        "Reachability", "ReachabilityNotifications", "DBus", "Netlink", "Posix", "CCurl",
        "CTestSupport", "TestSupport",
      ]),
    .testTarget(
      name: "StorageTests", dependencies: ["Storage", "Posix", "CTestSupport", "TestSupport"]),
    .testTarget(
      name: "LuaTests", dependencies: ["Lua", "CStockLua", "Posix", "TestSupport"],
      exclude: ["Attacks", "Lua"]),
    .testTarget(
      name: "HooksTests",
      dependencies: ["Hooks", "Storage", "Reachability", "Posix", "CStockLua", "TestSupport"]),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "reach", "watch-internet", "network-services", "notification-server", "Hooks",
        "Reachability", "Posix", "CTestSupport", "TestSupport",
      ]),
  ]
)

for target in package.targets where target.type != .system {
  if [
    "CPosix", "CNetlink", "CSystemd", "CCurl", "CLuaHost", "CTestSupport", "CStockLua",
    "network-services", "notification-server",
  ].contains(target.name) {
    target.cSettings = cSettings
  } else {
    target.swiftSettings = settings
  }
}
