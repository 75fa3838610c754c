internal import Lua
internal import Posix

extension LibraryFunction {
  static let require = LibraryFunction(
    name: "require", takes: [Field("name", "string", "The file, with dots for slashes.")],
    returns: Field("value", "any", "What the file returns; true where that is nothing."),
    // What a handler would read then would have been neither checked nor watched.
    summary: """
      Returns what a file in `lib/` beside the script returns: `require "lib.mail"`.

      Each file is run once, while the script is loaded. A handler gets what was returned then.
      """
  ) { context, call, results throws(OptionError) in
    guard call.arguments.count == 1, let name = call.text else {
      throw OptionError("require takes one name, as in require \"lib.mail\"")
    }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let isPlain = parts.allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy { $0 == 0x5f || $0 == 0x2d || $0.isLetterOrDigit }
    }
    guard parts.count > 1, parts.first == "lib", isPlain else {
      throw OptionError("require \"\(name)\": only files in lib/ are found, as \"lib.mail\"")
    }
    let path = "\(context.source.path.folder)\(parts.joined(separator: "/")).lua"
    guard context.run == nil else {
      return .recall(
        name: path,
        otherwise: "require \"\(name)\" reads a file; call it while the script is loaded too")
    }
    let file = Result { () throws(ScriptError) in
      try ScriptSource(name: name, path: path).read()
    }
    context.libraries[path, default: []].insert(FileContent(file))
    do throws(ScriptError) {
      let text = try file.get()
      context.noteReadyTargets(in: text)
      return .run(text: text, name: path)
    } catch {
      let fault = isAbsent(path) ? "there is no \(path)" : "\(error)"
      throw OptionError("require \"\(name)\": \(fault)")
    }
  }
}

/// Whether there is no file of that path, whose error would name the first folder that is missing.
private func isAbsent(_ path: String) -> Bool {
  do {
    _ = try TrustedFile(path)
    return false
  } catch {
    return error.isAbsence
  }
}

extension String {
  /// The part of a path up to the last slash, with it; empty where there is none.
  var folder: Substring {
    self[..<(lastIndex(of: "/").map(index(after:)) ?? startIndex)]
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    (0x30...0x39).contains(self) || (0x41...0x5a).contains(self) || (0x61...0x7a).contains(self)
  }
}
