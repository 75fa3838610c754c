internal import Fuzzing
@testable internal import Hooks
internal import Lua

/// A text that a script takes for JSON, such as what a server sent.
@main enum JSONText: Fuzzer {
  static func check(_ input: Input) {
    let bytes = Array(input.bytes)
    do throws(JSONReader.Fault) {
      let value = try JSONReader.read(bytes)
      // What was read is written, and reads as the same; null and {} have no other form.
      guard let text = try? JSONWriter.text(of: value, for: "") else {
        return expect(false, "\(value) is written")
      }
      guard let again = try? JSONReader.read(Array(text.utf8)) else {
        return expect(false, "\(text) is read back")
      }
      expect((try? JSONWriter.text(of: again, for: "")) == text, "\(text) is written as read")
    } catch {
      expect((1...bytes.count + 1).contains(error.byte), "\(error) is about one of the bytes")
    }
  }
}
