internal import Hooks

/// The page reach-hooks(5), made of what the library for scripts declares.
enum HookManual {
  static var page: String {
    var page = Roff(
      "reach-hooks", section: 5, "File Formats", source: ManualPage.source, placeholders: ["NAME"])
    page.section("NAME")
    page.line("reach-hooks - Lua scripts that are run when something becomes reachable or not")
    page.section("SYNOPSIS")
    page.line("`/etc/reach/hooks/`NAME`.lua`")
    page.lineBreak()
    page.line("`~/.config/reach/hooks/`NAME`.lua`")
    page.section("DESCRIPTION")
    page.paragraphs(description)
    page.example(example)
    page.paragraphs(afterExample)
    for section in HookReference.sections {
      page.section(section.title.uppercased())
      if let introduction = introductions[section.title] { page.paragraphs(introduction) }
      for entry in section.entries { page.write(entry) }
    }
    page.section("DELIVERY")
    page.paragraphs(delivery)
    page.section("LIMITS")
    page.paragraphs(HookReference.limits)
    page.section("FILES")
    for row in files { page.item("`\(row.name)`", row.meaning) }
    page.section("SEE ALSO")
    page.paragraphs(seeAlso)
    return page.text
  }
}

extension Roff {
  /// A name under a title of its own, with what belongs to it.
  fileprivate mutating func write(_ entry: HookReference.Entry) {
    subsection("`\(entry.name)`" + (entry.type.isEmpty ? "" : " (\(entry.type))"))
    paragraphs(entry.text)
    for part in entry.parts { writePart(part) }
  }

  private mutating func writePart(_ part: HookReference.Entry) {
    item("`\(part.name)`" + (part.type.isEmpty ? "" : " (\(part.type))"), part.text)
    guard !part.parts.isEmpty else { return }
    beginInset()
    for inner in part.parts { writePart(inner) }
    endInset()
  }
}
