extension Watchlist {
  /// Which verdicts need not wait for the kernel to be quiet.
  enum Settled {
    /// Only those on a lost link.
    case none
    /// Those on host names whose addresses came.
    case hosts(Set<String>)
    case all

    /// Whether the verdict of a target is one of them.
    func includes(_ target: Target) -> Bool {
      switch self {
      case .none: false
      case .hosts(let names):
        if case .host(let name) = target.subject { names.contains(name) } else { false }
      case .all: true
      }
    }
  }
}
