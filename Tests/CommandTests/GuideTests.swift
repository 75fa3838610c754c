import TestSupport
import Testing

@testable import Hooks
@testable import Lua
@testable import Reachability

/// A page of Markdown, and what it shows in Lua.
///
/// A block of Lua is a file, whose name is in its first line: `-- greet.lua`, `-- greet_test.lua`,
/// `-- lib/tell.lua`. One without a name is a script, too. The files of a page lie in one folder.
private struct Page {
  struct File {
    let name: String
    let text: String

    var isSpec: Bool { name.hasSuffix("_test.lua") }
    var isScript: Bool { !isSpec && !name.hasPrefix("lib/") }
  }

  let path: String
  let text: String
  let headings: [String]
  let files: [File]
  /// Where its links lead, as they stand there.
  let links: [String]

  init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
    // Blocks are every other part.
    let parts = text.split(separator: "\n```", omittingEmptySubsequences: false)
    var lines: [Substring] = []
    for index in parts.indices where index % 2 == 0 { lines += parts[index].split(separator: "\n") }
    headings = lines.filter { $0.hasPrefix("#") }.map(String.init)
    links = lines.flatMap(Page.links)
    var files: [File] = []
    for index in parts.indices where index % 2 == 1 && parts[index].hasPrefix("lua\n") {
      let block = parts[index].dropFirst("lua\n".count)
      files.append(File(name: Page.name(of: block) ?? "block\(index).lua", text: "\(block)\n"))
    }
    self.files = files
  }

  /// The name in the first line of a block: `-- greet.lua`.
  private static func name(of block: Substring) -> String? {
    let first = block.prefix { $0 != "\n" }
    guard first.hasPrefix("-- "), first.hasSuffix(".lua") else { return nil }
    return String(first.dropFirst("-- ".count))
  }

  /// Where the links of a line lead, without what they name within a page.
  private static func links(in line: Substring) -> [String] {
    if line.hasPrefix("["), let range = line.firstRange(of: "]: ") {
      return [String(line[range.upperBound...])]
    }
    let parts: [Substring] = line.split(separator: "](").dropFirst().map { $0 }
    return parts.map { part in String(part.prefix { $0 != ")" && $0 != "#" }) }
  }

  /// Whether a heading is about a name, such as `reach.any` in `# reach.any, reach.all`.
  func isAbout(_ name: String) -> Bool {
    headings.contains { $0.split { " ,`".contains($0) }.contains(name[...]) }
  }

  /// Whether it has a word as code, with quotes or without.
  func tells(of word: String) -> Bool {
    text.contains("`\(word)`") || text.contains("`\"\(word)\"`")
  }

  /// The pages of the guide, and the README.
  static func all() throws -> [Page] {
    let paths = try Reach.shell("ls README.md Sources/Hooks/Hooks.docc/*.md").output
    return try paths.split(separator: "\n").map { path in
      Page(String(path), try Reach.shell("cat '\(path)'").output)
    }
  }
}

/// What the guide for hook authors shows runs as it stands there, and it tells of everything.
@Suite struct Guide {
  /// Everything that scripts and specs find beside Lua's own names.
  private static let names =
    LibraryFunction.all.map(\.name)
    + ["reach.internet", "reach.local_wifi", "reach.hostname", "reach.store", "reach.test"]

  @Test func `every script passes its check, and every spec`() throws {
    for page in try Page.all() where !page.files.isEmpty {
      let folder = try TemporaryFolder()
      for file in page.files { try folder.write(file.name, file.text) }
      #expect(
        Set(page.files.map(\.name)).count == page.files.count, "\(page.path): two of one name")
      let scripts = page.files.filter(\.isScript).map { "'\($0.name)'" }
      let specs = page.files.filter(\.isSpec).map(\.name)
      let result = try Reach.shell(
        """
        umask 022
        export XDG_CONFIG_HOME="$PWD/config"
        mkdir -p config/reach/secrets
        for name in $(grep -ohE 'reach\\.secret\\("[a-z]+"' *.lua | cut -d'"' -f2); do
          (umask 077; echo "of $name" > config/reach/secrets/$name)
        done
        "$REACH" check \(scripts.joined(separator: " ")) > checked || { cat checked; exit 1; }
        for spec in \(specs.joined(separator: " ")); do
          "$REACH" test $spec | tee result
          grep -q '^ok' result && ! grep -q '^not ok' result || echo "$spec failed" >&2
        done
        """, in: folder.path, timeout: .seconds(120))
      #expect(result.errors == "", "\(page.path): \(result.output)")
      #expect(result.code == 0, "\(page.path): \(result.output)")
    }
  }

  @Test func `every name has a page, whose example uses it and has a spec`() throws {
    let pages = try Page.all()
    for name in Guide.names {
      let own = pages.filter { $0.isAbout(name) }
      #expect(!own.isEmpty, "no heading of the guide names \(name)")
      // Of what belongs to an object, examples have objects of their own.
      let call = name.firstIndex(of: ":").map { String(name[$0...]) + "(" } ?? name
      for page in own {
        let specs = page.files.filter(\.isSpec)
        #expect(!specs.isEmpty, "\(page.path) has no spec")
        let uses = page.files.filter { $0.text.contains(call) }
        #expect(!uses.isEmpty, "\(page.path): no example uses \(name)")
      }
    }
  }

  /// What is to be told on some pages.
  private static let words: [(page: String, words: [String])] = {
    let reasons: [String] = Reason.allCases.map(\.rawValue)
    let causes: [String] = Cause.allCases.map(\.rawValue)
    let handlers: [String] = HandlerSet.named.map(\.name)
    let modes: [String] = HearingRules.Mode.allCases.map(\.rawValue)
    return [
      ("TheEvent", LuaShape.event.keys), ("TheEvent", LuaShape.changed.keys),
      ("TheEvent", LuaShape.flags.keys), ("TheEvent", reasons), ("TheEvent", causes),
      ("reach.on", handlers), ("reach.on", modes), ("reach.run", LuaShape.runResult.keys),
      ("reach.http", LuaShape.answer.keys), ("reach.write", LuaShape.report.keys),
      ("reach.notify", LuaShape.report.keys), ("Timelines", VerdictFields.keys),
      ("Specs", VerdictFields.keys),
    ]
  }()

  @Test(arguments: words)
  func `every field and word is on its page`(page: String, words: [String]) throws {
    let path = "Sources/Hooks/Hooks.docc/\(page).md"
    let page = Page(path, try Reach.shell("cat '\(path)'").output)
    #expect(words.filter { !page.tells(of: $0) } == [])
  }

  @Test func `links lead to what is there`() throws {
    for page in try Page.all() {
      let folder = page.path.split(separator: "/").dropLast().joined(separator: "/")
      for link in page.links where !link.hasPrefix("http") {
        let path = folder.isEmpty ? link : "\(folder)/\(link)"
        let result = try Reach.shell("test -e '\(path)'")
        #expect(result.code == 0, "\(page.path): \(link)")
      }
    }
  }

  @Test func `the guide's first page lists all others`() throws {
    let pages = try Page.all().filter { $0.path != "README.md" }
    let first = try #require(pages.first { $0.path.hasSuffix("/Hooks.md") })
    let others = pages.map { String($0.path.split(separator: "/").last ?? "") }
      .filter { $0 != "Hooks.md" }
    #expect(Set(others).subtracting(first.links) == [])
  }
}
