import Testing

/// Rules that keep the structure, which no compiler checks.
@Suite struct House {
  /// The lines of `grep -rnE PATTERN Sources`, as `path:line:text`.
  private func grep(_ pattern: String, _ folder: String = "Sources") throws -> [String] {
    try Reach.shell("grep -rnE --exclude='*.md' '\(pattern)' \(folder) || true").output
      .split(separator: "\n").map(String.init)
  }

  @Test func `imports point down only`() throws {
    let beneath: [String: Set<String>] = [
      "Posix": [], "Netlink": ["Posix"], "DBus": ["Posix"], "Storage": ["Posix"], "Lua": [],
      "Reachability": ["Netlink", "DBus", "Posix"],
      "ReachabilityNotifications": ["Reachability"],
      "Hooks": ["Lua", "Reachability", "Storage", "DBus", "Posix"],
      "reach": ["Hooks", "Reachability", "Netlink", "Posix"],
    ]
    let layers = Set(beneath.keys)
    for line in try grep("^[a-z@ ]*import [A-Za-z]+") {
      let folder = line.split(separator: "/")[1]
      let module = line.split(separator: " ").last.map(String.init) ?? ""
      guard layers.contains(module) else { continue }
      #expect(beneath[String(folder)]?.contains(module) == true, "\(line)")
    }
  }

  @Test func `each library of the system is imported by one layer`() throws {
    let owners = [
      "CPosix": "Posix", "CNetlink": "Netlink", "CLuaHost": "Lua", "CSystemd": "DBus",
      "CCurl": "Reachability", "CAres": "Reachability", "CSQLite": "Storage",
    ]
    for line in try grep("import (CPosix|CNetlink|CLuaHost|CSystemd|CCurl|CAres|CSQLite)") {
      let module = line.split(separator: " ").last.map(String.init) ?? ""
      #expect(line.hasPrefix("Sources/\(owners[module] ?? "")/"), "\(line)")
    }
    let foundation = try grep("import (Foundation|Dispatch)")
    #expect(foundation.allSatisfy { $0.hasPrefix("Sources/ReachabilityNotifications/") })
    #expect(try grep("#include .*lua", "Sources/CLuaHost/include").isEmpty)
  }

  @Test func `the C library is spoken to in Posix and where a socket is made`() throws {
    let places = [
      "Sources/Posix/", "Sources/Netlink/NetlinkSocket.swift",
      "Sources/Netlink/NetlinkSocket+Dump.swift", "Sources/Netlink/Route.swift",
      "Sources/Netlink/RequestSocket.swift", "Sources/Netlink/Generic/GenericSocket.swift",
      "Sources/Reachability/Names/SystemLookup.swift", "Sources/Reachability/Names/DNS/",
      "Sources/Reachability/Names/Settings/ResolverSettings.swift",
      "Sources/Reachability/Observers/SymlinkChain.swift",
      "Sources/Reachability/Media/InterfaceFacts+Sysfs.swift",
      "Sources/Reachability/Probes/ProbeSocket.swift",
      "Sources/Reachability/Probes/EchoExchange.swift",
      "Sources/Reachability/NetworkReachability/NetworkReachability+SocketAddress.swift",
    ]
    for line in try grep("import Glibc") {
      #expect(places.contains(where: line.hasPrefix), "\(line)")
    }
  }

  @Test func `nothing is forced, and what is unchecked says why`() throws {
    #expect(try grep(#"try!|as!|fatalError"#).isEmpty)
    let unchecked = try grep("@unchecked Sendable|nonisolated\\(unsafe\\)")
    for line in unchecked {
      let parts = line.split(separator: ":")
      let number = Int(parts[1]) ?? 1
      let above = try Reach.shell("sed -n '\(max(1, number - 6)),\(number)p' \(parts[0])").output
      #expect(above.contains("//"), "\(line) has no comment that says what protects it")
    }
  }

  @Test func `every public declaration is documented`() throws {
    let result = try Reach.shell(
      #"""
      for file in $(find Sources -name '*.swift'); do
        awk -v file="$file" '
          /^ *(@inlinable )?public (static |mutating |nonisolated |borrowing |final |package\(set\) |internal\(set\) |private\(set\) )*(let|var|func|init|struct|enum|class|actor|typealias|subscript)/ {
            if (before !~ /^ *(\/\/|@)/) print file ":" FNR ": " $0
          }
          { before = $0 }' "$file"
      done | grep -vE 'rawValue|static func [<+-]|func enqueue|checkIsolated|isIsolatingCurrentContext|unownedExecutor|mutating func next' || true
      """#)
    #expect(result.output == "")
  }
}
