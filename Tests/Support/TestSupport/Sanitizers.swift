import Glibc

/// Whether this is a build for ThreadSanitizer, which withholds the watchdog's signal: a hook that
/// looks at the clock stands in for it.
public let withholdsSignals = dlsym(nil, "__tsan_init") != nil

/// Whether a sanitizer slows these tests down, and keeps what they free.
public let isSanitized = withholdsSignals || dlsym(nil, "__asan_init") != nil
