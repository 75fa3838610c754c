import TestSupport
import Testing

/// With a server at the other end of a cable: plain HTTP on port 80, then TLS by its certificates.
@Suite(.serialized) struct ProbingHTTP {
  /// Starts the server, waits until it listens, and gives `nas.test` its address inside.
  private static let server = """
    ip netns exec $N-b python3 '\(HTTPServer.program)' 192.0.2.1 80 > "$STATE/server" &
    until [ -s "$STATE/server" ]; do sleep 0.05; done
    AUTHORITY=$(sed 's/.* //' "$STATE/server"); echo "192.0.2.1 nas.test" > "$STATE/hosts"
    inside() { $IN bash -c "mount --bind '$STATE/hosts' /etc/hosts; $1"; }

    """

  private func shell(_ script: String) throws -> Reach.Result {
    try Namespace().shell(ProbingHTTP.server + script)
  }

  @Test func `a sign-in page is told with its URL, and nothing that needs more is called`() throws {
    let moved = HTTPServer.path(
      status: 302, "Location: http://wifi.example/in?token=1\r\n", body: "moved")
    let page = HTTPServer.path(status: 200, body: "<h1>Sign in</h1>")
    let folder = try TemporaryFolder()
    try folder.write(
      "portal.lua",
      """
      local function watch(name, path, expect)
        reach.on{
          target = reach.target{ name = name, http = "http://192.0.2.1" .. path, expect = expect },
          portal = function(e) print(e.target, e.status, e.reason, e.cause, e.via, e.url) end,
          reachable = function(e) print(e.target, e.status, e.latency > 0) end,
          unreachable = function(e) print(e.target, e.status) end,
          wired = function(e) print(e.target, "wired", e.status) end,
        }
      end
      watch("moved", "\(moved)", 204)
      watch("page", "\(page)", 204)
      watch("open", "\(page)", "Sign in")
      """)
    let result = try Namespace().shell(
      """
      \(ProbingHTTP.server)
      $IN "$REACH" run --state-dir "$STATE" --socket "$STATE/control" portal.lua & PID=$!
      await begun $PID
      sleep 1.5; kill $PID; wait $PID
      """, in: folder.path)
    let told = Set(result.log.compactMap(\.printed))
    #expect(
      told == [
        "moved\tportal\tportal\trestart\twired\thttp://wifi.example/in?token=1",
        "page\tportal\tportal\trestart\twired\thttp://192.0.2.1\(page)",
        "open\treachable\ttrue", "open\twired\treachable",
      ])
    // A log keeps the query to itself.
    #expect(
      result.log.contains("info  moved: portal via wired (portal) at http://wifi.example/in"))
  }

  @Test func `a certificate counts that the system's authorities have signed, for that name`()
    throws
  {
    let path = HTTPServer.path(status: 204)
    let moved = HTTPServer.path(status: 302, "Location: http://wifi.example/\r\n")
    let result = try shell(
      """
      mkdir "$STATE/authorities"; cp "$AUTHORITY" "$STATE/authorities/ca.pem"
      openssl rehash "$STATE/authorities"
      explain() {
        inside "$1 '$REACH' explain '$2'" | grep -E '^  (answer|probe|verdict)' |
          sed 's/after.*/after/'
      }
      trusting="mount --bind '$STATE/authorities' /etc/ssl/certs;"
      explain "$trusting" "https://nas.test:81\(path)"
      explain "" "https://nas.test:81\(path)"
      for port in 82 83 84; do explain "$trusting" "https://nas.test:$port\(path)"; done
      explain "$trusting" "https://nas.test:81\(moved)"
      explain "$trusting" "http://nas.test\(moved)"
      """)
    let get = "  probe      GET https://nas.test:"
    let problem = "  answer     192.0.2.1: SSL certificate problem: "
    let tls = ": failed, tls\n  verdict    unreachable: tls\n"
    #expect(result.errors == "")
    #expect(
      result.output == """
          answer     192.0.2.1: status 204
        \(get)81\(path): passed by 192.0.2.1 after
          verdict    reachable via wired
        \(problem)unable to get local issuer certificate
        \(get)81\(path)\(tls)\
          answer     192.0.2.1: SSL: no alternative certificate subject name matches target \
        host name 'nas.test'
        \(get)82\(path)\(tls)\
        \(problem)certificate has expired
        \(get)83\(path)\(tls)\
        \(problem)self-signed certificate
        \(get)84\(path)\(tls)\
          answer     192.0.2.1: status 302 to http://wifi.example/
        \(get)81\(moved): failed, http-status
          verdict    unreachable: http-status
          answer     192.0.2.1: status 302 to http://wifi.example/
          probe      GET http://nas.test\(moved): failed, portal at http://wifi.example/
          verdict    portal via wired: portal

        """)
  }

  @Test func `without libcurl one line names the package, and the target stays unknown`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "a.lua",
      """
      local nas = reach.target{ http = "http://192.0.2.1/", every = "100ms" }
      reach.on{ target = nas, change = function(e) print(e.status) end }
      """)
    let namespace = try Namespace()
    let result = try namespace.shell(
      """
      LIBRARY=$(realpath $(ldconfig -p | sed -n 's/.*libcurl.so.4 .*=> //p' | head -1))
      inside() {
        $IN bash -c "mount --bind /dev/null $LIBRARY; $1" 2>&1 | sed 's/^20..................//'
      }
      inside "'$REACH' explain http://192.0.2.1/ | tail -2; echo \\${PIPESTATUS[0]}"
      inside "'$REACH' watch --for 500ms --every 100ms http://192.0.2.1/"
      inside "'$REACH' check a.lua; echo \\$?"
      inside "'$REACH' run --state-dir '$STATE' --socket '$STATE/control' a.lua &
        sleep 0.7; kill %1; wait"
      """, in: folder.path)
    let line =
      "open libcurl.so.4 for HTTP (package libcurl4): Can not access a needed shared library"
    #expect(
      result.output == """
          probe      GET http://192.0.2.1/: not sent: \(line)
          verdict    unknown
        3
        reach watch: \(line)
        a.lua
          target 192.0.2.1: GET http://192.0.2.1/ every 100ms
          hook 192.0.2.1 on 192.0.2.1: change
        a.lua:1:  fault  probe-refused  reach.target "192.0.2.1": \(line)
        1
        info  a: loaded 1 hook from a.lua
        error \(line)

        """)
  }

  @Test func `a target that is an interface is asked through it, whatever the routes say`() throws {
    let path = HTTPServer.path(status: 204)
    let folder = try TemporaryFolder()
    try folder.write(
      "a.lua",
      """
      local function watch(options)
        options.http, options.timeout = "http://192.0.2.1\(path)", "500ms"
        reach.on{ target = reach.target(options), change = function(e)
          print(e.target, e.status, e.reason)
        end }
      end
      watch{ interface = "eth0" } watch{ interface = "other0" } watch{ name = "routed" }
      """)
    let namespace = try Namespace()
    let result = try namespace.shell(
      """
      \(ProbingHTTP.server)
      $A link add other0 index 33 type veth peer name other1 index 44 netns $N-b
      $A addr add 198.51.100.1/24 dev other0; $A link set other0 up; $B link set other1 up
      sleep 1.3
      $A route add 192.0.2.1/32 dev other0
      $IN "$REACH" run --state-dir "$STATE" --socket "$STATE/control" a.lua & PID=$!
      await begun $PID
      sleep 2; kill $PID; wait $PID
      """, in: folder.path)
    let told = Set(result.log.compactMap(\.printed))
    #expect(
      told == [
        "interface:eth0\treachable\tnil", "interface:other0\tunreachable\ttimeout",
        "routed\tunreachable\ttimeout",
      ], "\(result.errors)")
  }

  @Test func `watch tells when a server goes and comes`() throws {
    let path = HTTPServer.path(status: 204)
    let result = try shell(
      """
      $IN "$REACH" watch --for 3s --every 200ms --timeout 1s --fall 2 --rise 2 \
        http://192.0.2.1\(path) | cut -c21- | sed 's/^[^ ]*/URL/' & WATCH=$!
      sleep 0.7; kill $(cut -d' ' -f1 "$STATE/server"); sleep 0.8
      ip netns exec $N-b python3 '\(HTTPServer.program)' 192.0.2.1 80 > /dev/null &
      wait $WATCH
      """)
    #expect(
      result.output == """
        URL reachable via wired eth0
        URL unreachable (refused) eth0
        URL reachable via wired eth0

        """)
  }
}

extension String {
  /// What a handler printed with tabs in it; nil of other lines of a log.
  fileprivate var printed: String? {
    contains("\t") ? firstRange(of: ": ").map { String(self[$0.upperBound...]) } : nil
  }
}
