internal import Hooks
internal import Reachability

extension DeclaredTarget {
  /// Which paths do not count, and what interfaces are taken for: `no wwan`, `usb0 as wired`.
  var rules: [String] {
    guard case .single(let target) = self else { return [] }
    var rules: [String] = []
    if !target.allowsWWAN { rules.append("no wwan") }
    if !target.allowsMetered { rules.append("no metered") }
    for (interface, medium) in target.media.sorted(by: { $0.key < $1.key }) {
      rules.append("\(interface) as \(medium.rawValue)")
    }
    return rules
  }

  /// The same as members of an object of JSON, by the names that scripts have for them; null for a
  /// target that others make up.
  func writeRules(to json: inout JSONWriter) {
    guard case .single(let target) = self else {
      for key in ["wwan", "metered", "medium"] { json.field(key, String?.none) }
      return
    }
    json.field("wwan", target.allowsWWAN)
    json.field("metered", target.allowsMetered)
    json.key("medium")
    json.object { json in
      for (interface, medium) in target.media.sorted(by: { $0.key < $1.key }) {
        json.field(interface, medium.rawValue)
      }
    }
  }
}
