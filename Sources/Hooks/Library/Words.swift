internal import Reachability

extension WordList {
  /// Every list of words, in the order in which editors are told of them.
  static let all = [status, medium, reason, cause, mode, urgency, departure]

  static let status = WordList("reach.Status", "Whether a target can be reached.") {
    (status: Status) in
    switch status {
    case .unknown: "not yet judged; hooks are never called with it"
    case .unreachable: "nothing leads there, or its probe says so"
    case .portal: "its HTTP probe met a sign-in page"
    case .reachable: "packets can leave for it, and its probe, where it has one, passes"
    }
  }

  static let medium = WordList(
    "reach.Medium", "What carries the path; through a VPN, what carries that."
  ) { (medium: Medium) in
    switch medium {
    case .wired: "a cable"
    case .wifi: "WiFi"
    case .wwan: "a mobile network"
    case .loopback: "this machine itself"
    case .other: "none of these, or not to be known"
    }
  }

  static let reason = WordList("reach.Reason", "Why a target is not reachable.") {
    (reason: Reason) in
    switch reason {
    case .noRoute: "no route leads there"
    case .linkDown: "the interface is switched off"
    case .noCarrier: "the interface is on, and nothing is connected to it"
    case .noAddress: "the link has no address of its own, or none of that family"
    case .interfaceMissing: "there is no such interface"
    case .blackhole: "a route drops what is sent there"
    case .prohibited: "a route or rule prohibits what is sent there"
    case .hostUnreachable: "a route or a router says that the host cannot be reached"
    case .filtered: "a firewall on the way refuses it"
    case .notPermitted: "this machine's own firewall refuses it"
    case .dns: "its name has no address that is known"
    case .timeout: "the probe had no answer in time"
    case .refused: "the host refuses connections to that port"
    case .reset: "the host broke the connection off"
    case .tls: "the host has no certificate that this system trusts"
    case .httpStatus: "the answer over HTTP is not the expected one"
    case .portal: "a sign-in page answers in its place"
    case .wwanNotAllowed: "the path is mobile data, and `wwan = false`"
    case .meteredNotAllowed: "the path is metered, and `metered = false`"
    case .networkDiffers: "no link is on that network"
    }
  }

  static let cause = WordList("reach.Cause", "What brought an event about.") { (cause: Cause) in
    switch cause {
    case .local: "this machine's link, address or route"
    case .remote: "the probe"
    case .dns: "the resolution of a name"
    case .restart: "the first verdict after Reach started"
    case .reload: "the first verdict after the script was loaded anew"
    case .resume: "the machine woke from suspend"
    }
  }

  static let mode = WordList(
    "reach.Mode", "What becomes of an event that comes while the hook's handler runs."
  ) { (mode: HearingRules.Mode) in
    switch mode {
    case .latest: "the newest waits, alone; `e.missed` counts the others"
    case .queue: "up to \(mode.capacity) wait, in order"
    case .restart: "the run is cancelled for it"
    }
  }

  static let urgency = WordList("reach.Urgency", "How a notification is shown.") {
    (urgency: DesktopNotification.Urgency) in
    switch urgency {
    case .low: "it need not be seen at once"
    case .normal: "as others"
    case .critical: "it stays until somebody has seen it"
    }
  }

  static let departure = WordList("reach.Departure", "Why a script is unloaded.") {
    (reason: Departure.Reason) in
    switch reason {
    case .reload: "another version takes its place"
    case .removed: "its file is gone"
    case .shutdown: "Reach ends"
    }
  }
}
