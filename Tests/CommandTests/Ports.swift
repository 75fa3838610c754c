import TestSupport
import Testing

/// Hooks that the daemon runs on ports of loopback, which come and go as targets.
enum Ports {
  /// `$PORT` and `$OTHER` are free; `open` and `close` have somebody listen there or nobody, and
  /// `until_log N PATTERN` waits until so many lines of the log match.
  private static let prelude = """
    set -u; STATE=$PWD/state; mkdir "$STATE"
    read PORT OTHER <<<"$(python3 -c '
    import socket
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    print(*(s.getsockname()[1] for s in sockets))')"
    declare -A SERVER
    open() {
      python3 -c '
    import socket, sys, time
    s = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    time.sleep(60)' $1 & SERVER[$1]=$!
      for i in $(seq 400); do (: <>/dev/tcp/127.0.0.1/$1) 2>/dev/null && break; sleep 0.025; done
    }
    close() { kill ${SERVER[$1]}; wait ${SERVER[$1]} 2>/dev/null; }
    until_log() {
      for i in $(seq 400); do
        [ "$(grep -c -- "$2" log)" -ge $1 ] && return; sleep 0.025
      done
      echo "no \\"$2\\" in"; cat log
    }
    # start [N]: the N-th time.
    start() {
      sed -i "s/PORT/$PORT/; s/OTHER/$OTHER/" hook.lua
      "$REACH" run --state-dir "$STATE" --socket "$STATE/control" hook.lua 2>>log & REACH_PID=$!
      until_log ${1:-1} 'loaded [0-9]* hook'
    }
    # end: the daemon; stop: all else too.
    end() { kill $REACH_PID; wait $REACH_PID; }
    stop() {
      end
      for server in "${SERVER[@]}"; do kill $server 2>/dev/null; done
      wait
    }

    """

  /// A target that is reachable while somebody listens at a port.
  static func target(_ name: String, _ port: String) -> String {
    """
    reach.target{ address = "127.0.0.1", name = "\(name)", tcp = \(port), every = "100ms",
      timeout = "1s", fall = 1, rise = 1 }
    """
  }

  static func run(_ hook: String, _ script: String) throws -> (Reach.Result, TemporaryFolder) {
    let folder = try TemporaryFolder()
    try folder.write("hook.lua", hook)
    return (try Reach.shell(prelude + script, in: folder.path), folder)
  }
}
