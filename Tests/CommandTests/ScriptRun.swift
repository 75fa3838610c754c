import Glibc
import TestSupport
import Testing

@testable import Posix

/// Runs of a script in a namespace, with the commands that hooks call replaced by ones that note how
/// they were called.
///
/// A unit and a connection are then as these commands have made them. Bash scripts find `start` and
/// `stop`, which begin and end the daemon, the first by a command if there is one; `await called
/// WORDS` and `await logged PATTERN`; and `times N COMMAND…` with either, for so many of them.
struct ScriptRun {
  let folder: TemporaryFolder
  private let namespace: Namespace
  private let name: String
  /// Options of `reach run`.
  var options = ""

  /// A script of a test, `t.lua`.
  init(_ text: String) throws {
    folder = try TemporaryFolder()
    namespace = try Namespace()
    name = "t.lua"
    try folder.write(name, text)
  }

  /// A script that ships.
  ///
  /// - Parameters:
  ///   - script: where it lies in the package.
  ///   - changes: what of its text is replaced by what, as a user changes its settings.
  /// - Throws: where the script is not there or has nothing that is to be replaced.
  init(shipped script: String, changing changes: KeyValuePairs<String, String> = [:]) throws {
    let file = try FileDescriptor(opening: "\(Reach.package)/\(script)", flags: O_RDONLY)
    var text = String(decoding: try file.readAll(limit: 1 << 20), as: UTF8.self)
    for (before, after) in changes {
      try #require(text.contains(before), "\(script) has no \(before)")
      text.replace(before, with: after)
    }
    folder = try TemporaryFolder()
    namespace = try Namespace()
    name = String(script.split(separator: "/").last ?? "")
    try folder.write(name, text)
  }

  private var prelude: String {
    """
    mkdir bin; touch calls log connection; echo active > unit; export FOLDER="$PWD"
    cat > bin/command <<'END'
    #!/bin/sh
    name=${0##*/}
    cd "$FOLDER"
    if [ -e fails ]; then echo "$name: it is not to be" >&2; exit 1; fi
    case "$name $*" in
      "systemctl "*" show "*) cat unit; exit;;
      "systemctl "*" stop "*) echo inactive > unit;;
      "systemctl "*" start "*) echo active > unit;;
      "nmcli -g "*) cat connection; exit;;
      "nmcli connection up "*) echo activated > connection;;
      "nmcli connection down "*) : > connection;;
    esac
    echo "$name $*" >> calls
    END
    chmod +x bin/command
    for name in systemctl systemd-run nmcli mmcli rsync; do ln bin/command bin/$name; done
    export PATH="$PWD/bin:$PATH"
    start() {
      $IN "$@" "$REACH" run --state-dir "$STATE" --socket "$STATE/control" \(options) \(name) 2>> log &
      REACH_PID=$!
      await begun $REACH_PID
    }
    stop() { kill -TERM $REACH_PID; wait $REACH_PID; }
    called() { [ "$(grep -cF -- "$1" calls)" -ge "${COUNT:-1}" ]; }
    logged() { [ "$(grep -cE -- "$1" log)" -ge "${COUNT:-1}" ]; }
    times() { COUNT=$1 "${@:2}"; }
    trap 'kill $(jobs -p) 2>/dev/null || true; cat log >&2; rm -rf "$STATE"' EXIT

    """
  }

  /// Runs a bash script; returns the calls and the log.
  func callAsFunction(_ script: String) throws -> (calls: [String], log: [String]) {
    let result = try namespace.shell(prelude + script, in: folder.path)
    #expect(result.code == 0, "\(result.errors)")
    return (folder.read("calls").split(separator: "\n").map(String.init), result.log)
  }
}
