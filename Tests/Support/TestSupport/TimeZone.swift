internal import Glibc

/// Has the process take local time from a rule as in tzset(3).
public func setTimeZone(_ rule: String) {
  setenv("TZ", rule, 1)
  tzset()
}
