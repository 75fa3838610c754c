import Testing

@testable import Hooks

@Suite struct NearestWords {
  @Test(arguments: [
    ("reachabel", "reachable"), ("unreachble", "unreachable"), ("wfii", "wifi"),
    ("stabel", "stable"),
    ("targets", "target"), ("on_reachable", "reachable"), ("on_unreachable", "unreachable"),
    ("is_wwan", "wwan"), ("unreach", "unreachable"), ("reach", "reachable"),
    ("onReachable", "reachable"), ("onunreachable", "unreachable"), ("Reachable", "reachable"),
  ])
  func `a misspelt word is recognised`(word: String, meant: String) {
    let words = ["reachable", "unreachable", "wifi", "wwan", "stable", "target"]
    #expect(Nearest.match(to: word, among: words) == meant)
  }

  @Test(arguments: [
    ("online", "reachable"), ("up", "reachable"), ("on_connected", "reachable"),
    ("offline", "unreachable"), ("onDown", "unreachable"), ("lost", "unreachable"),
    ("disconnected", "unreachable"), ("wlan", "wifi"), ("lan", "wired"), ("ethernet", "wired"),
    ("eth", "wired"), ("cell", "wwan"), ("mobile", "wwan"), ("lte", "wwan"), ("ping", "icmp"),
    ("port", "tcp"), ("ssid", "network"), ("data", "body"), ("text", "body"),
  ])
  func `what others call a thing is known`(word: String, meant: String) {
    let words = [
      "reachable", "unreachable", "wired", "wifi", "wwan", "change", "tcp", "icmp", "network",
      "body",
    ]
    #expect(Nearest.match(to: word, among: words) == meant)
    #expect(Nearest.match(to: word, among: ["url", "stdin"]) == nil)
  }

  @Test(arguments: ["", "x", "completely", "able"])
  func `a word that is far from all is not`(word: String) {
    #expect(Nearest.match(to: word, among: ["reachable", "unreachable", "stable"]) == nil)
  }

  @Test func `words of a megabyte are not compared letter by letter`() {
    let long = String(repeating: "x", count: 1 << 20)
    #expect(Nearest.match(to: long, among: [long, long + "y"]) == nil)
  }
}

@Suite struct MeantDurations {
  @Test(arguments: [
    ("10", "10s"), ("10 s", "10s"), ("10sec", "10s"), ("10S", "10s"), ("1 min 30 sec", "1m30s"),
    ("1.5 hours", "1.5h"), ("250 msec", "250ms"), ("1d", "24h"), ("2 days 3h", nil), ("-5s", nil),
    ("soon", nil), ("10 parsecs", nil), ("", nil), ("s", nil), ("99999d", nil),
    (String(repeating: "1s", count: 100), nil),
  ])
  func `a text that is nearly a duration is known`(text: String, meant: String?) {
    #expect(Duration.meant(by: text) == meant)
  }
}

@Suite struct PrintableText {
  @Test func `what could move a cursor is written as an escape`() {
    #expect("a\u{1b}[2Jb".printable == "a\\u{1b}[2Jb")
    #expect("line\nnext\r\t".printable == "line\\nnext\\r\\t")
    #expect("left\u{202e}right".printable == "left\\u{202e}right")
  }

  @Test func `other writing is left as it is`() {
    #expect("Café 無線 Wi‑Fi".printable == "Café 無線 Wi‑Fi")
  }
}

@Suite struct JSONText {
  @Test func `objects and arrays are separated and closed`() {
    var writer = JSONWriter()
    writer.object { json in
      json.field("a", Int64(1))
      json.field("b", nil as String?)
      json.key("c")
      json.array { json in
        json.value(true)
        json.value("x")
        json.object { _ in }
      }
      json.key("d")
      json.value(Double.nan)
    }
    #expect(writer.text == #"{"a":1,"b":null,"c":[true,"x",{}],"d":null}"#)
  }

  @Test func `a string is quoted`() {
    var writer = JSONWriter()
    writer.value("\"\\\n\u{1}é\u{2028}")
    #expect(writer.text == "\"\\\"\\\\\\n\\u0001é\\u2028\"")
  }
}
