internal import Fuzzing

@testable internal import Posix
@testable internal import Reachability

/// The files that say how names are resolved, each as if it were every one of them; and what the
/// kernel tells of changes to them.
@main enum ResolverFilesText: Fuzzer {
  static func check(_ input: Input) {
    let bytes = Array(input.bytes)
    let settings = ResolverSettings(
      configuration: bytes, hosts: bytes, services: bytes, hostName: "box.example")
    let servers = settings.nameservers
    expect(
      (1...ResolverConfiguration.mostNameservers).contains(servers.count),
      "\(servers.count) servers")
    for name in ["nas", "nas.lan", "printer.local"] {
      switch settings.source(of: name) {
      case .file(let addresses): expect(!addresses.isEmpty, "no address of \(name)")
      case .system: break
      case .nameservers(let candidates):
        expect(candidates.contains(name), "\(name) is not looked for as it is: \(candidates)")
        expect(Set(candidates).count == candidates.count, "twice the same: \(candidates)")
        for candidate in candidates {
          let isWhole = (try? Target.Subject.hostName(candidate)) == candidate
          expect(isWhole, "\(candidate.debugDescription) cannot be asked for")
        }
      }
    }
    var size = 0
    for event in InotifyEvents(input.bytes) { size += 16 + (event.name == nil ? 0 : 1) }
    expect(size <= bytes.count, "\(size) of \(bytes.count) bytes")
  }
}
