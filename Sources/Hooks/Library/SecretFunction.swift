internal import Lua
internal import Posix

extension LibraryFunction {
  static let secret = LibraryFunction(
    name: "reach.secret", takes: [Field("name", "string", "The name of its file.")],
    returns: Field("secret", "string", "What the file holds, without the newline at its end."),
    summary: """
      Reads a secret, such as a password: `reach.secret("mail")`.

      It lies in `$CREDENTIALS_DIRECTORY`, where systemd puts credentials, or else in
      `$XDG_CONFIG_HOME/reach/secrets` (`~/.config/reach/secrets`), where only its owner may be able
      to read it. From then on logs have `***` in its place.
      """
  ) { context, call, results throws(OptionError) in
    guard call.arguments.count == 1, case .string(let name)? = call.arguments.first else {
      throw OptionError("reach.secret takes one name, as in reach.secret(\"mail\")")
    }
    guard Secret.isName(name) else {
      throw OptionError("reach.secret: \"\(name)\" is no name of a file")
    }
    let secret = context.isRehearsed ? Secret(ofRehearsal: name) : try Secret(named: name)
    context.log.hide(String(decoding: secret.bytes, as: UTF8.self))
    results.bytes(secret.bytes)
    return .returned
  }
}

/// What a script must not show.
private struct Secret {
  var bytes: [UInt8] = []

  private static let largest = 65536

  /// What stands in for the secret where it is not to be read: `secret-mail`.
  init(ofRehearsal name: String) { bytes = Array("secret-\(name)".utf8) }

  static func isName(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".") && !name.contains("/") && !name.utf8.contains(0)
  }

  init(named name: String) throws(OptionError) {
    var places: [String] = []
    if let folder = Program.folder("CREDENTIALS_DIRECTORY") {
      let path = "\(folder)/\(name)"
      // Whose it is and who reads it is systemd's care.
      if try read(path, isPrivate: false) { return }
      places.append(path)
    }
    if let folder = Secret.configuration {
      let path = "\(folder)/reach/secrets/\(name)"
      if try read(path, isPrivate: true) { return }
      places.append(path)
    }
    throw OptionError("reach.secret: there is no \(places.joined(separator: ", nor "))")
  }

  private static var configuration: String? {
    Program.folder("XDG_CONFIG_HOME") ?? Program.folder("HOME").map { "\($0)/.config" }
  }

  /// Reads a file; false where there is none.
  private mutating func read(_ path: String, isPrivate: Bool) throws(OptionError) -> Bool {
    guard let file = try Secret.open(path) else { return false }
    guard !file.isFolder else { throw OptionError("reach.secret: \(path): a folder") }
    guard !isPrivate || !file.descriptor.isReadableByOthers else {
      throw OptionError(
        "reach.secret: \(path): readable by others, so not used; try: chmod go= \(path)")
    }
    do { bytes = try file.descriptor.readAll(limit: Secret.largest + 1) } catch {
      throw OptionError("reach.secret: \(path): \(SystemError.text(of: error.code))")
    }
    guard bytes.count <= Secret.largest else {
      throw OptionError("reach.secret: \(path): larger than \(Secret.largest >> 10) KiB")
    }
    if bytes.last == 0x0a { bytes.removeLast() }
    return true
  }

  /// Opens a file; nil where there is none.
  private static func open(_ path: String) throws(OptionError) -> TrustedFile? {
    do { return try TrustedFile(path) } catch {
      if error.isAbsence { return nil }
      throw OptionError("reach.secret: \(error)")
    }
  }
}
