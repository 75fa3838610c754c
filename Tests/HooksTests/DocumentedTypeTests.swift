import Posix
import Reachability
import TestSupport
import Testing

@testable import Hooks

/// What scripts get is of the types that their authors are told.
@Suite struct DocumentedTypes {
  /// Functions that complain of a table of some form, one for each, by the form's name.
  static let checks: String = {
    let forms = EditorDefinitions.forms + SpecDeclarations.forms + [.target]
    let functions = forms.map { form in
      let fields = form.fields.map { field in
        let types = field.type.split(separator: "|").map(check).joined(separator: ", ")
        return "  value('\(field.name)', t.\(field.name), \(field.isOptional), { \(types) })\n"
      }
      return "forms['\(form.name)'] = function(t)\n\(fields.joined())end\n"
    }
    return """
      local forms = {}
      local function value(name, value, optional, types)
        if value == nil then return assert(optional, name .. " is nil") end
        for _, fits in ipairs(types) do if fits(value) then return end end
        error(name .. " is " .. tostring(value), 2)
      end
      local function is(type_) return function(v) return type(v) == type_ end end
      local function is_integer(v) return math.type(v) == "integer" end
      local function is_word(words) return function(v) return words[v] == true end end
      local function has(form) return function(v) forms[form](v) return true end end

      """ + functions.joined()
  }()

  /// The function that says whether a value is of a type.
  private static func check(_ type: Substring) -> String {
    if let list = WordList.all.first(where: { $0.name == type }) {
      return "is_word{ \(list.words.map { "['\($0.word)'] = true" }.joined(separator: ", ")) }"
    }
    switch type {
    case "integer": return "is_integer"
    case "true": return "function(v) return v == true end"
    case "string", "number", "boolean": return "is('\(type)')"
    case _ where type.hasPrefix("table"): return "is('table')"
    default: return "has('\(type)')"
    }
  }

  /// What goes wrong in a script under some verdicts of the internet.
  private func faults(
    _ script: String, _ verdicts: [Verdict], answers: [(String, StagedAnswer)] = []
  ) throws -> [String] {
    let folder = try TemporaryFolder()
    try folder.write("t.lua", DocumentedTypes.checks + script)
    let rehearsal = try Rehearsal(["\(folder.path)/t.lua"], at: 1_767_614_400)
    for (text, answer) in answers { rehearsal.stage.answer(text, with: answer) }
    for verdict in verdicts {
      try rehearsal.set(["internet": verdict])
      try rehearsal.advance(by: .seconds(100))
    }
    return rehearsal.stage.entries.compactMap { entry in
      switch entry.happening {
      case .failure(let text): text
      case .line(let line) where line.message.hasPrefix("said "): line.message
      default: nil
      }
    }
  }

  /// Verdicts with nothing, and with everything, that there can be.
  private var verdicts: [Verdict] {
    get throws {
      var wifi = VerdictFields(.reachable)
      for (key, text) in [
        ("via", "wifi"), ("vpn", "true"), ("metered", "true"), ("interface", "wlan0"),
        ("address", "192.0.2.7"), ("source", "192.0.2.2"), ("gateway", "192.0.2.1"),
        ("gateway_mac", "02:00:5e:10:00:01"), ("ssid", "Home"), ("latency", "20ms"),
      ] {
        try wifi.set(key, to: text)
      }
      var portal = VerdictFields(.portal)
      try portal.set("url", to: "http://portal.example/")
      return [
        Verdict(.unreachable, reason: .noRoute), wifi.verdict, portal.verdict,
        VerdictFields(.reachable).verdict, Verdict(.unreachable, cause: .remote),
      ]
    }
  }

  @Test func `events and targets`() throws {
    let script = """
      forms["reach.Target"](reach.internet)
      local function check(e)
        forms["reach.Event"](e)
        forms["reach.Target"](reach.internet)
        print("said " .. e.status)
      end
      reach.on{ target = reach.internet, change = check }
      """
    let said = try faults(script, try verdicts)
    #expect(
      said
        == ["unreachable", "reachable", "portal", "reachable", "unreachable"].map { "said \($0)" })
  }

  @Test func `a check that cannot fail would be none`() throws {
    let script = """
      reach.on{ target = reach.internet, change = function(e)
        local broken = setmetatable({}, { __index = function(_, key)
          if key == "since" then return 1.5 end
          return e[key]
        end })
        forms["reach.Event"](broken)
      end }
      """
    let said = try faults(script, [Verdict(.unreachable, reason: .noRoute)])
    #expect(said.count == 1 && said.first?.contains("since is 1.5") == true, "\(said)")
  }

  @Test func `results`() throws {
    let script = """
      reach.on{ target = reach.internet, unreachable = function()
        for _, word in ipairs{ "good", "failed", "killed", "slow", "missing" } do
          forms["reach.RunResult"](reach.run{ word })
          forms["reach.HTTPResult"](reach.http{ url = "http://nas.lan/" .. word })
          forms["reach.Report"](reach.notify{ title = word })
          forms["reach.Report"](reach.write{ path = word, text = "" })
        end
        print("said done")
      end }
      """
    var answers: [(String, StagedAnswer)] = []
    for (word, change) in [
      ("failed", { $0.isGood = false }), ("killed", { $0.signal = 9 }),
      ("slow", { $0.timesOut = true }), ("missing", { $0.error = "no such thing" }),
    ] as [(String, (inout StagedAnswer) -> Void)] {
      var answer = StagedAnswer()
      change(&answer)
      answers.append((word, answer))
    }
    let said = try faults(script, [Verdict(.unreachable, reason: .noRoute)], answers: answers)
    #expect(said == ["said done"], "\(said)")
  }
}
