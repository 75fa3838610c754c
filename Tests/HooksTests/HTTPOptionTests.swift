import Reachability
import TestSupport
import Testing

@testable import Hooks

/// What loading a script gives that declares one target.
private func declare(_ options: String) throws -> Result<Target, ScriptError> {
  let folder = try TemporaryFolder()
  let path = try folder.write("t.lua", "reach.target{ \(options) }")
  let check = try #require(ScriptCheck.check([ScriptSource(name: "t", path: path)]).first)
  return check.result
    .map { declarations in
      guard case .single(let target)? = declarations.targets.last else { return Target(.internet) }
      return target
    }
    .mapError { ScriptError($0.description.replacing(path, with: "t.lua")) }
}

@Suite struct HTTPOptions {
  @Test(arguments: [
    ("http = 'http://nas.lan:81/a'", "nas.lan", "nas.lan"),
    ("http = 'http://192.0.2.1/a', name = 'nas'", "192.0.2.1", "nas"),
    ("http = 'https://[fe80::1%25eth0]/'", "fe80::1%eth0", "fe80::1%eth0"),
    ("http = 'https://x/', host = 'nas.lan'", "nas.lan", "nas.lan"),
    ("http = 'https://x/', address = '192.0.2.1'", "192.0.2.1", "192.0.2.1"),
    (
      "http = 'https://x/', address = '192.0.2.1', from = '192.0.2.2'", "192.0.2.2,192.0.2.1",
      "192.0.2.2,192.0.2.1"
    ),
  ])
  func `a request goes to the target, or makes its URL's host one`(
    options: String, subject: String, name: String
  ) throws {
    let target = try declare(options).get()
    #expect(target.subject == (try Target.Subject(parsing: subject)))
    #expect(target.name == name)
    #expect(target.probe?.destination == nil)
  }

  @Test(arguments: [
    ("internet = true, name = 'net', http = 'http://nas.lan/'", "nas.lan"),
    ("interface = 'eth0', http = 'http://192.0.2.1/'", "192.0.2.1"),
    ("interface = 'eth0', http = 'http://[fe80::1%25eth0]/'", "fe80::1%eth0"),
  ])
  func `a target that is no host is asked about at its URL's host`(
    options: String, destination: String
  ) throws {
    let expected = try Probe.Destination(parsing: destination)
    #expect(try declare(options).get().probe?.destination == expected)
  }

  @Test(arguments: [
    ("", HTTPCheck.Expectation.success), ("expect = 204", .status(204)),
    ("expect = 'wel\\0come'", .text(Array("wel\0come".utf8))), ("expect = '\\255'", .text([255])),
    ("expect = '204'", .text(Array("204".utf8))), ("every = 5", .success),
  ])
  func `what is expected is a status or a text`(
    options: String, expectation: HTTPCheck.Expectation
  ) throws {
    let target = try declare("http = 'http://nas.lan/a?b', \(options)").get()
    let check = HTTPCheck(try HTTPURL("http://nas.lan/a?b"), expecting: expectation)
    #expect(target.probe?.kind == .http(check))
  }

  @Test(arguments: [
    (
      "http = 80", "\"http\" must be a string, not 80"
    ),
    ("http = 'nas.lan'", "\"http\": \"nas.lan\" is no URL, such as http://nas.lan/"),
    ("http = 'http://a b/'", "\"http\": \"http://a b/\" has a space; write %20"),
    (
      "http = 'http://me:secret@nas.lan/'",
      "\"http\": \"http://…@nas.lan…\" has a user part, which is not sent"
    ),
    (
      "http = 'http://[::]/', internet = true",
      " \"internet\": \"http\": :: stands for any address, and a probe needs one"
    ),
    (
      "http = 'http://a/', expect = 99",
      " \"a\": \"expect\" must be a status from 100 to 599, or a text of 1 to 65536 bytes that the body "
        + "holds, not 99"
    ),
    (
      "http = 'http://a/', expect = true",
      " \"a\": \"expect\" must be a status from 100 to 599, or a text of 1 to 65536 bytes that the body "
        + "holds, not true"
    ),
    (
      "http = 'http://a/', expect = ''",
      " \"a\": \"expect\" must be a status from 100 to 599, or a text of 1 to 65536 bytes that the body "
        + "holds, not \"\""
    ),
    (
      "host = 'a', expect = 204",
      " \"a\": \"expect\" goes with \"http\", as in http = \"http://nas.lan/\""
    ),
    (
      "host = 'a', tcp = 22, expect = 204",
      " \"a\": \"expect\" goes with \"http\", as in http = \"http://nas.lan/\""
    ),
    ("http = 'http://a/', tcp = 80", " \"a\": one probe at most, not tcp and http"),
    ("htp = 'http://a/'", "unknown key \"htp\"; did you mean \"http\"?"),
  ])
  func `what cannot be asked is refused`(options: String, fault: String) throws {
    let space = fault.hasPrefix(" ") ? "" : ": "
    #expect(throws: ScriptError("t.lua:1: reach.target\(space)\(fault)")) {
      try declare(options).get()
    }
  }
}
