internal import Fuzzing
internal import Hooks
internal import Posix

/// A timeline, as a file that anybody may have written.
@main enum TimelineText: Fuzzer {
  static func check(_ input: Input) {
    do throws(TimelineError) {
      checkText(of: try Timeline(parsing: Array(input.bytes), named: "file"))
    } catch {
      let text = error.description
      expect(text.hasPrefix("file:"), "\(text.debugDescription) says where")
      expect(text.printable == text, "\(text.debugDescription) is one printable line")
    }
  }

  private static func checkText(of timeline: Timeline) {
    let text = timeline.text
    expect(
      text.utf8.allSatisfy { $0 == 0x0a || $0 >= 0x20 && $0 != 0x7f },
      "\(text.debugDescription) has no control characters")
    guard let again = try? Timeline(parsing: Array(text.utf8), named: "file") else {
      return expect(false, "\(text) is read back")
    }
    expect(again == timeline, "\(text) is read as what was written")
    expect(again.text == text, "\(text) is written as read")
    for (one, next) in zip(timeline.moments, timeline.moments.dropFirst()) {
      expect(one.time < next.time, "time goes on")
    }
    _ = timeline.start?.seconds { $0 % 3600 }
  }
}
