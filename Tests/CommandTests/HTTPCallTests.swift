import TestSupport
import Testing

@Suite struct HTTPCalls {
  private let server: HTTPServer
  private let run: HandlerRun

  init() throws {
    server = try HTTPServer()
    run = try HandlerRun()
  }

  private var place: String { "127.0.0.1:\(server.ports["plain"] ?? 0)" }

  /// Runs a handler's body with `base`, the server's URL, and `show`, which asks and prints.
  private func ask(_ body: String, deadline: String = "20s", before: String = "") throws
    -> Reach.Result
  {
    var run = run
    run.deadline = deadline
    run.before = before
    run.declarations = """
      local base = "http://\(place)"
      local function show(options)
        options.url = options.url or base .. options.path
        options.path = nil
        local r = reach.http(options)
        print(r.ok, r.status, r.body and r.body:sub(1, 99), r.error)
        return r
      end
      """
    return try run(body)
  }

  @Test func `an answer has status, headers in lower case, and a body`() throws {
    let path = HTTPServer.path(status: 200, "X-One: a\r\nx-one: b \r\n", body: "hello\u{1}")
    let result = try ask(
      """
      local r = show{ path = "\(path)" }
      print(r.headers["x-one"], r.headers["X-One"])
      show{ path = "\(HTTPServer.path(status: 404, body: "gone"))" }
      show{ path = "\(HTTPServer.path(status: 302, "Location: /x\r\n"))" }
      """)
    #expect(
      result.prints
        == [
          ["true", "200", "hello\\u{1}", "nil"], ["a, b", "nil"], ["false", "404", "gone", "nil"],
          ["false", "302", "nil"],
        ].map { $0.map { $0 } })
    #expect(
      result.log.contains {
        $0.hasPrefix("warn  t/t: GET http://\(place)/raw/") && $0.hasSuffix(": status 404")
      })
  }

  @Test func `what is sent is what was said`() throws {
    let result = try ask(
      #"""
      local r = reach.http{ url = base .. "/echo", headers = { ["X-Key"] = "one two" },
        json = { a = { 1 } }, method = "PUT" }
      print((r.body:gsub("\r\n", "|")))
      print((reach.http{ url = base .. "/echo", body = "a\0b" }.body:gsub("\r\n", "|")))
      """#)
    let requests = result.prints.map { $0.joined(separator: "\t") }
    try #require(requests.count == 2)
    #expect(requests[0].hasPrefix("PUT /echo HTTP/1.1|Host: \(place)|User-Agent: reach/"))
    #expect(requests[0].contains("|X-Key: one two|Content-Type: application/json|"))
    #expect(requests[0].hasSuffix("||{\"a\":[1]}"))
    #expect(requests[1].hasPrefix("POST /echo HTTP/1.1|"))
    #expect(requests[1].hasSuffix("||a\\u{0}b"))
    #expect(!requests[1].contains("Content-Type"))
  }

  @Test func `redirects are followed as often as was said, and not out of TLS`() throws {
    let end = HTTPServer.path(status: 200, body: "end")
    let second = HTTPServer.path(status: 307, "Location: \(end)\r\n")
    let first = HTTPServer.path(status: 302, "Location: http://\(place)\(second)\r\n")
    let result = try ask(
      """
      show{ path = "\(first)", redirect = 2 }
      show{ path = "\(first)", redirect = 1 }
      show{ path = "\(HTTPServer.path(status: 301, "Location: ftp://x/\r\n"))", redirect = 5 }
      local r = reach.http{ url = base .. "\(HTTPServer.path(status: 303, "Location: /echo\r\n"))",
        body = "x", redirect = 1 }
      print(r.body:match("^%S+"))
      """)
    #expect(
      result.prints == [
        ["true", "200", "end", "nil"], ["false", "307", "nil"],
        ["false", "nil", "nil", "redirected to what is no http or https URL"], ["GET"],
      ])
  }

  @Test func `what fails is told in words`() throws {
    let result = try ask(
      """
      show{ path = "/reset" }
      show{ path = "/silent", timeout = "200ms" }
      show{ url = "http://127.0.0.1:1/?token=abc" }
      show{ url = "https://127.0.0.1:\(server.ports["own"] ?? 0)/" }
      local r = show{ path = "\(HTTPServer.path("endless", status: 200))" .. "" }
      """)
    let answers = result.prints.map { ($0.first ?? "", $0.last ?? "") }
    try #require(answers.count == 5)
    #expect(answers.prefix(4).allSatisfy { $0.0 == "false" && $0.1 != "nil" })
    #expect(answers[1].1 == "Timeout was reached")
    #expect(answers[2].1.contains("127.0.0.1"))
    #expect(answers[3].1.lowercased().contains("certificate"))
    #expect(!result.errors.contains("token"))
    #expect(answers[4] == ("true", "the body is cut at 1 MiB"))
  }

  @Test func `wrong options are errors that name them`() throws {
    let calls = [
      ("{}", "\"url\" is missing, as in url = \"https://nas.lan/\""),
      (
        "{ url = 'http://me:word@nas/?key=1 2' }", "\"url\": \"http://nas/\" has a space; write %20"
      ),
      (
        "{ url = base, method = 'get' }",
        "\"method\" must be a method in capitals, such as \"POST\", not \"get\""
      ),
      ("{ url = base, headers = { a = 'x\\ny' } }", "\"headers\": \"a\" cannot be sent"),
      (
        "{ url = base, headers = { ['Content-Length'] = '3' } }",
        "\"headers\": \"Content-Length\" cannot be sent"
      ),
      ("{ url = base, body = 'x', json = {} }", "needs at most one of body and json"),
      ("{ url = base, redirect = 21 }", "\"redirect\" must be a whole number from 0 to 20, not 21"),
      ("{ url = base, json = { print } }", "json: value[1]: a function cannot be written as JSON"),
    ]
    let result = try ask(
      calls.map { "print(select(2, pcall(reach.http, \($0.0))))" }.joined(separator: "\n")
        + "\nprint(pcall(reach.http, { url = base, timeout = '1m' }))")
    let complaints = result.prints.map { $0.last ?? "" }
    #expect(complaints.prefix(calls.count) == calls.map { "reach.http: \($0.1)" }[...])
    #expect(complaints.last?.contains("a timeout of 1m is longer than the") == true)
  }

  @Test func `a ninth request waits for one of eight`() throws {
    try run.folder.write(
      "many.lua",
      """
      local nas = reach.target{ address = "127.0.0.1", route = true }
      for n = 1, 8 do
        reach.on{ name = "slow" .. n, target = nas, reachable = function()
          reach.http{ url = "http://\(place)/silent", timeout = "1s" }
        end }
      end
      reach.on{ name = "late", target = nas, deadline = "300ms", reachable = function()
        reach.http{ url = "http://\(place)\(HTTPServer.path(status: 200))" }
      end }
      reach.on{ name = "last", target = nas, reachable = function()
        local began = reach.now()
        print(reach.http{ url = "http://\(place)\(HTTPServer.path(status: 204))" }.status,
          reach.now() - began > 0.9)
      end }
      """)
    let result = try Reach.shell(
      """
      timeout 2 "$REACH" run --state-dir state --socket state/control many.lua; true
      """, in: run.folder.path)
    #expect(result.log.contains("info  many/last: 204\ttrue"))
    #expect(result.log.contains { $0.hasPrefix("error many/late: ") })
  }

  /// A C library whose lookups take seconds, as with nameservers that are silent.
  @Test func `a lookup that hangs holds up nobody, also when its request is ended`() throws {
    let result = try ask(
      """
      local began = reach.now()
      show{ url = "http://nowhere.test/", timeout = "300ms" }
      print(reach.now() - began < 2)
      """,
      before: """
        cat > slow.c <<'END'
        #include <netdb.h>
        #include <unistd.h>
        int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                        struct addrinfo **list) {
          sleep(4);
          return EAI_AGAIN;
        }
        END
        cc -shared -fPIC -o slow.so slow.c && export LD_PRELOAD=$PWD/slow.so
        """)
    #expect(result.prints.last == ["true"])
    #expect(result.prints.first?.prefix(3) == ["false", "nil", "nil"])
    #expect(result.prints.first?.last?.lowercased().contains("time") == true)
  }
}
