// swift-tools-version: 6.2
import PackageDescription

// A package of its own: it needs unsafe flags, and it compiles the parent's sources (links in
// Sources) a second time, so that the parsers themselves are instrumented.
let sanitize = ["-sanitize=fuzzer,address"]
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
  // Without -parse-as-library the compiler writes a main of its own beside libFuzzer's.
  .unsafeFlags(sanitize + ["-enable-testing", "-parse-as-library"]),
]
let cSettings: [CSetting] = [.unsafeFlags(["-fsanitize=fuzzer-no-link,address"])]

// One fuzzer is a folder in Targets, seeds in seeds, and a line here: what it imports.
let fuzzers: [String: [Target.Dependency]] = [
  "command-line": ["reach", "Hooks", "Reachability"],
  "control-requests": ["Hooks", "Reachability"],
  "crash-marker": ["Hooks"],
  "dns-answers": ["Reachability", "Posix", "CAres"],
  "duration-text": ["Posix"],
  "echo-replies": ["Reachability", "Posix"],
  "generic-replies": ["Netlink", "Reachability"],
  "http-url": ["Reachability"],
  "json-text": ["Hooks", "Lua"],
  "lua-options": ["Hooks", "Lua", "Reachability"],
  "lua-patterns": ["Lua", "CStockLua"],
  "netlink-hints": ["Netlink", "Posix"],
  "netlink-replies": ["Netlink"],
  "network-text": ["Reachability", "Posix"],
  "portal-location": ["Reachability"],
  "printable": ["Hooks"],
  "resolver-files": ["Reachability", "Posix"],
  "returned-errors": ["Posix"],
  "state-texts": ["Hooks"],
  "target-text": ["Reachability"],
  "timeline-text": ["Hooks", "Posix"],
]

let package = Package(
  name: "Fuzz",
  targets: [
    .target(
      name: "reach", dependencies: ["Hooks", "Reachability", "Netlink", "Posix"],
      exclude: ["Installation", "main.swift"]),
    .target(name: "Hooks", dependencies: ["Reachability", "Lua", "Storage", "DBus", "Posix"]),
    .target(name: "Storage", dependencies: ["CSQLite", "Posix"]),
    .systemLibrary(name: "CSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3"),
    .target(name: "Lua", dependencies: ["CLuaHost"]),
    .target(name: "CLuaHost", dependencies: ["CLua"]),
    .systemLibrary(name: "CLua", path: "Sources/CLua", pkgConfig: "lua5.4"),
    .target(name: "Reachability", dependencies: ["CAres", "CCurl", "Netlink", "DBus", "Posix"]),
    .target(name: "CCurl", dependencies: ["CPosix"]),
    .systemLibrary(name: "CAres", path: "Sources/CAres", pkgConfig: "libcares"),
    .target(name: "DBus", dependencies: ["CSystemd", "Posix"]),
    .target(name: "CSystemd", dependencies: ["CPosix"]),
    .target(name: "Netlink", dependencies: ["CNetlink", "Posix"]),
    .target(name: "CNetlink"),
    .target(name: "Posix", dependencies: ["CPosix"]),
    .target(name: "CPosix"),
    .target(name: "CStockLua", dependencies: ["CLua"]),
    .target(name: "Fuzzing", path: "Fuzzing"),
  ]
    + fuzzers.sorted { $0.key < $1.key }.map { name, dependencies in
      .executableTarget(
        name: name, dependencies: dependencies + ["Fuzzing"], path: "Targets/\(name)",
        linkerSettings: [.unsafeFlags(sanitize)])
    }
)

for target in package.targets where target.type != .system {
  if ["CPosix", "CNetlink", "CCurl", "CLuaHost", "CStockLua"].contains(target.name) {
    target.cSettings = cSettings
  } else {
    target.swiftSettings = settings
  }
}
