internal import Fuzzing
@testable internal import Hooks

/// What the state file says of a store and of what a hook was told.
@main enum StateTexts: Fuzzer {
  static func check(_ input: Input) {
    let text = String(decoding: input.bytes, as: UTF8.self)
    if let table = StoreText.table(of: text), let written = try? StoreText.text(of: table) {
      let again = StoreText.table(of: written).flatMap { try? StoreText.text(of: $0) }
      expect(again == written, "\(written) is written as read")
    }
    if let told = Told(text, boot: "b") {
      expect(Told(told.text(boot: "b"), boot: "b") == told, "\(text) is written as read")
    }
  }
}
