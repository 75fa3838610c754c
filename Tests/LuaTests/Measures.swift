import Glibc

/// Whether this is a build for ThreadSanitizer, which withholds the watchdog's signal: a hook that
/// looks at the clock stands in for it.
let withholdsSignals = dlsym(nil, "__tsan_init") != nil

/// Whether a sanitizer slows these tests down.
let isSanitized = withholdsSignals || dlsym(nil, "__asan_init") != nil

/// What this thread has used.
var processorTime: Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
