import TestSupport
import Testing

@testable import reach

/// What `make install` lays where Debian looks for it.
@Suite struct Installing {
  /// Installs the `reach` of these tests into a folder, and runs a bash script there.
  private func installed(prefix: String, _ script: String) throws -> Reach.Result {
    let folder = try TemporaryFolder()
    let result = try Reach.shell(
      """
      set -e
      # Whoever installs may have a umask that is their own.
      umask 077
      PACKAGE() { make -s -C '\(Reach.package)' DESTDIR="$PWD" PREFIX=\(prefix) REACH="$REACH" "$@"; }
      PACKAGE install
      \(script)
      """, in: folder.path, timeout: .seconds(120))
    #expect(result.errors == "")
    #expect(result.code == 0)
    return result
  }

  @Test(arguments: [
    ("/usr", "vendor-completions"), ("/usr/local", "site-functions"),
    ("/opt/reach", "site-functions"),
  ])
  func `every file lies where it is looked for, and can be read by all`(
    prefix: String, zsh: String
  ) throws {
    let result = try installed(
      prefix: prefix, "find . -type f -printf '%m %P\\n' | sort -k 2")
    let shared = try Reach.shell(
      """
      find hooks -type f; find examples -type f -printf 'doc/reach/%p\\n'
      find Sources/Hooks/Hooks.docc Sources/Reachability/Reachability.docc -name '*.md' \
        -printf 'doc/reach/guide/%f\\n'
      """)
    let files =
      [
        "lib/systemd/system/reach.service", "lib/systemd/user/reach.service",
        "share/bash-completion/completions/reach", "share/fish/vendor_completions.d/reach.fish",
        "share/zsh/\(zsh)/_reach", "share/man/man1/reach.1.gz", "share/man/man5/reach-hooks.5.gz",
        "share/doc/reach/README.md", "share/doc/reach/CONTRIBUTING.md",
        "share/doc/reach/CHANGELOG.md", "share/doc/reach/LICENSE",
      ]
      + shared.output.split(separator: "\n").map {
        $0.hasPrefix("hooks/") ? "share/reach/\($0)" : "share/\($0)"
      }
    let place = prefix.dropFirst()
    let expected =
      ["755 \(place)/bin/reach"] + files.map { "644 \(place)/\($0)" }.sorted()
    #expect(result.output.split(separator: "\n").map(String.init).sorted() == expected.sorted())
  }

  @Test func `what is installed works, and speaks of where it lies`() throws {
    let result = try installed(
      prefix: "/usr/local",
      """
      usr/local/bin/reach --version
      grep -h ^ExecStart= usr/local/lib/systemd/*/reach.service
      usr/local/bin/reach check usr/local/share/reach/hooks usr/local/share/doc/reach/examples \
        > /dev/null
      MANWIDTH=80 man -l usr/local/share/man/man1/reach.1.gz | grep -o '/usr/[a-z/]*' | sort -u
      """)
    #expect(
      result.output == """
        reach 0.1.0
        ExecStart=/usr/local/bin/reach run
        ExecStart=/usr/local/bin/reach run
        /usr/local/share/doc/reach/examples
        /usr/local/share/doc/reach/examples/
        /usr/local/share/doc/reach/examples/timelines
        /usr/local/share/reach/hooks
        /usr/local/share/reach/hooks/log

        """)
  }

  @Test func `links of what is installed lead to what is installed`() throws {
    let result = try installed(
      prefix: "/usr",
      """
      cd usr/share; find * -type f; find doc -name '*.md' -printf '\\f%p\\n' -exec cat {} \\;
      """)
    let parts = result.output.split(separator: "\u{c}")
    let files = Set(try #require(parts.first).split(separator: "\n").map(String.init))
    #expect(files.contains("doc/reach/README.md"))
    for part in parts.dropFirst() {
      let path = part.prefix { $0 != "\n" }
      for link in Page(String(path), String(part)).links where !link.hasPrefix("http") {
        var parts = path.split(separator: "/").dropLast()
        for part in link.split(separator: "/") {
          if part == ".." { parts.removeLast() } else { parts.append(part) }
        }
        let place = parts.joined(separator: "/")
        #expect(link.isEmpty || files.contains(place), "\(path): \(link)")
      }
    }
  }

  @Test(arguments: ["usr/share/reach/hooks", "usr/share/doc/reach/examples/timelines"])
  func `what cannot be installed is an error`(path: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(path, "a file in the place of a folder")
    let result = try Reach.shell(
      "make -s -C '\(Reach.package)' DESTDIR=\"$PWD\" PREFIX=/usr REACH=\"$REACH\" install",
      in: folder.path, timeout: .seconds(120))
    #expect(result.code == 2)
    #expect(result.errors.contains(path), "\(result.errors)")
  }

  @Test func `definitions that cannot be written are an error, and leave no debris`() throws {
    let folder = try TemporaryFolder()
    let result = try Reach.shell(
      """
      mkdir -p bin tmp .build/debug; ln -s /bin/true bin/swift; ln -s /bin/false .build/debug/reach
      cp '\(Reach.package)/Makefile' .
      TMPDIR=$PWD/tmp PATH=$PWD/bin:$PATH make -s PACKAGES= definitions 2>/dev/null
      echo $?; ls tmp
      """, in: folder.path)
    #expect(result.output == "2\n")
  }

  @Test func `uninstall leaves no file`() throws {
    let result = try installed(prefix: "/usr", "PACKAGE uninstall; find . -type f")
    #expect(result.output == "")
  }
}

/// The units of systemd.
@Suite struct Units {
  private static let folder = "\(Reach.package)/Sources/reach/Installation"

  @Test(arguments: ["system", "user"])
  func `systemd takes them without complaint`(kind: String) throws {
    let folder = try TemporaryFolder()
    let result = try Reach.shell(
      """
      sed "s,/usr/bin/reach,$REACH," '\(Units.folder)/\(kind).service' > reach.service
      export XDG_RUNTIME_DIR=$PWD
      systemd-analyze --\(kind) --man=no verify "$PWD/reach.service" 2>&1
      """, in: folder.path)
    #expect(result.output == "")
    #expect(result.code == 0)
  }

  @Test func `the system's stays as exposed as it has to be, and no more`() throws {
    let folder = try TemporaryFolder()
    // In tenths.
    let result = try Reach.shell(
      """
      cp '\(Units.folder)/system.service' reach.service
      systemd-analyze security --offline=true --threshold=88 --no-pager "$PWD/reach.service"
      """, in: folder.path)
    #expect(result.code == 0, "\(result.output.suffix(200))\(result.errors)")
  }

  @Test(arguments: ["system", "user"])
  func `what a restart does not mend is not tried again`(kind: String) throws {
    let text = try Reach.shell("cat '\(Units.folder)/\(kind).service'").output
    #expect(text.contains("\nRestartPreventExitStatus=\(ExitCode.usage.rawValue)\n"))
  }

  /// What a hook mounts is seen by others only while the service is in their mount namespace, and a
  /// user's commands gain privileges only without NoNewPrivileges; systemd.exec(5).
  @Test(arguments: ["system", "user"])
  func `no setting keeps hooks from what they are for`(kind: String) throws {
    let text = try Reach.shell("grep -v '^#' '\(Units.folder)/\(kind).service'").output
    let settings = text.split(separator: "\n").compactMap { $0.split(separator: "=").first }
    let separating = [
      "Protect", "Private", "ReadOnly", "ReadWrite", "Inaccessible", "NoExec", "Bind",
      "TemporaryFileSystem", "Root", "MountFlags", "MountAPIVFS", "DynamicUser", "ProcSubset",
      "NoNewPrivileges", "RestrictSUIDSGID", "RestrictNamespaces", "LogNamespace",
    ]
    let restricting = [
      "LockPersonality", "MemoryDenyWriteExecute", "Restrict", "SystemCall", "CapabilityBounding",
    ]
    #expect(settings.contains("ExecStart"))
    for setting in settings {
      #expect(!separating.contains { setting.hasPrefix($0) }, "\(setting)")
      if kind == "user" { #expect(!restricting.contains { setting.hasPrefix($0) }, "\(setting)") }
    }
  }
}
