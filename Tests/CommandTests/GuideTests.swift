import TestSupport
import Testing

@testable import Hooks

/// A page of Markdown, and what it shows in Lua.
///
/// A block of Lua is a file, whose name is in its first line: `-- greet.lua`, `-- greet_test.lua`,
/// `-- lib/tell.lua`. One without a name is a script, too. The files of a page lie in one folder.
struct Page {
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
        cp '\(Reach.package)/.luacheckrc' . && luacheck --quiet --no-color . || exit 1
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

  @Test func `the first spec fails for want of patience, as the guide says`() throws {
    let path = "Sources/Hooks/Hooks.docc/WritingAHook.md"
    let page = Page(path, try Reach.shell("cat '\(path)'").output)
    let folder = try TemporaryFolder()
    for file in page.files {
      try folder.write(file.name, file.text.replacing("\"10s\"", with: "\"0s\""))
    }
    let result = try Reach.run("test", in: folder.path)
    let start = try #require(result.output.firstRange(of: "not ok")).lowerBound
    let end = try #require(result.output.firstRange(of: "\n  ...\n")).upperBound
    #expect(page.text.contains("```\n\(result.output[start..<end])```"), "\(result.output)")
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

  /// On which page a table of the API is told of, key by key, or a list of words, word by word.
  private static let pages = [
    "reach.TargetOptions": "reach.target", "reach.NetworkOptions": "reach.target",
    "reach.Members": "reach.any", "reach.HookOptions": "reach.on", "reach.Durations": "reach.on",
    "reach.Event": "TheEvent", "reach.Changes": "TheEvent", "reach.Flags": "TheEvent",
    "reach.RunOptions": "reach.run", "reach.RunResult": "reach.run",
    "reach.HTTPOptions": "reach.http", "reach.HTTPResult": "reach.http",
    "reach.NotifyOptions": "reach.notify", "reach.WriteOptions": "reach.write",
    "reach.Report": "reach.write", "reach.Target": "reach.internet",
    "reach.RehearsalOptions": "Specs", "reach.TestTarget": "Specs", "reach.TestAnswer": "Specs",
    "reach.SentRequest": "Specs", "reach.ShownNotification": "Specs", "reach.WrittenFile": "Specs",
    "reach.Status": "reach.internet", "reach.Medium": "reach.internet", "reach.Reason": "TheEvent",
    "reach.Cause": "TheEvent", "reach.Mode": "reach.on", "reach.Urgency": "reach.notify",
    "reach.Departure": "reach.defer",
  ]

  @Test func `every key and word is told of`() throws {
    let forms: [TableForm] = [.target] + EditorDefinitions.forms + SpecDeclarations.forms
    let tables = forms.map { ($0.name, $0.keys) }
    let lists = WordList.all.map { ($0.name, $0.words.map(\.word)) }
    for (name, words) in tables + lists {
      let page = try #require(Guide.pages[name], "no page for \(name)")
      let path = "Sources/Hooks/Hooks.docc/\(page).md"
      let text = Page(path, try Reach.shell("cat '\(path)'").output)
      let missing = words.filter { !text.tells(of: $0) }
      #expect(missing == [], "\(path): \(name)")
    }
  }

  @Test func `every function of specs is told of`() throws {
    let text = try Reach.shell("cat Sources/Hooks/Hooks.docc/Specs.md").output
    for name in SpecDeclarations.functions.map(\.name) {
      let call = name.replacing("rehearsal:", with: "t:")
      #expect(text.contains("`\(call)"), "\(name)")
    }
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
