import CStockLua
import Glibc

/// The lines that a text prints in Lua as the system has it; an error is the last.
func stockPrinted(_ text: String) -> [String] {
  var text = text
  var count = 0
  let output = text.withUTF8 { bytes in
    bytes.withMemoryRebound(to: CChar.self) { characters in
      stock_lua_run(characters.baseAddress, characters.count, "@hook.lua", &count)
    }
  }
  guard let output else { return [] }
  defer { free(output) }
  return String(decoding: UnsafeRawBufferPointer(start: output, count: count), as: UTF8.self)
    .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
}
