// The processor limit: one timer for each thread that runs Lua, armed lazily.
//
// Entering Lua costs a few stores. The timer counts the thread's own processor time, in quarters
// of the limit. A run that was there when a quarter began, and through four of them, has used the
// limit up; when no run is there, the timer rests. A kill comes between 1 and 1.25 limits. A run
// that is still there after as many quarters again is left by force; see escape.c.
#define _GNU_SOURCE
#include "host.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
// ThreadSanitizer withholds signals until the thread blocks.
#define LH_WITHOUT_SIGNALS 1
#endif
#endif

enum {
  /// Parts of the limit after which the timer fires.
  PARTS = 4,
  /// Nanoseconds from one attempt to leave a run by force to the next.
  ESCAPE_INTERVAL = 1000000,
};

struct lh_watchdog {
  timer_t timer;
  bool has_timer;
  volatile sig_atomic_t armed;
  volatile uint64_t sequence;
  /// The run that the timer last found, or was armed for, and how many parts it used since.
  volatile uint64_t watched;
  volatile int parts;
  volatile int64_t armed_part;
  lh_host *volatile active;
};

static _Thread_local lh_watchdog *watchdog_of_thread;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static pthread_key_t thread_end;

static int64_t part_of_limit(const lh_host *host) {
  return host->limits.processor_nanoseconds / PARTS + 1;
}

static void arm(lh_watchdog *watchdog, int64_t part) {
  struct itimerspec time = {
      .it_value = {.tv_sec = part / 1000000000, .tv_nsec = part % 1000000000}};
  watchdog->armed = 1;
  watchdog->armed_part = part;
  timer_settime(watchdog->timer, 0, &time, NULL);
}

static void watch(lh_watchdog *watchdog) {
  watchdog->watched = watchdog->sequence;
  watchdog->parts = 0;
}

static void timer_fired(int number, siginfo_t *info, void *context) {
  (void)number;
  if (info->si_code != SI_TIMER) return;
  lh_watchdog *watchdog = info->si_value.sival_ptr;
  lh_host *host = watchdog->active;
  if (!host) {
    watchdog->armed = 0;
    return;
  }
  if (watchdog->watched != watchdog->sequence) {
    watch(watchdog);
  } else {
    watchdog->parts++;
  }
  if (watchdog->parts < PARTS) {
    arm(watchdog, part_of_limit(host));
    return;
  }
  if (!host->kill) host->kill = LH_KILL_PROCESSOR;
  lh_arm_hook(host->current, lh_kill_hook);
  if (watchdog->parts < 2 * PARTS) {
    arm(watchdog, part_of_limit(host));
    return;
  }
  arm(watchdog, ESCAPE_INTERVAL);
  lh_escape(host, context);
}

static void set_signal_mask(int how) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  pthread_sigmask(how, &set, NULL);
}

void lh_unblock_watchdog(void) {
  set_signal_mask(SIG_UNBLOCK);
}

static void free_watchdog(void *pointer) {
  lh_watchdog *watchdog = pointer;
  // A signal already under way would find freed memory: it stays pending, and ends with the thread.
  set_signal_mask(SIG_BLOCK);
  if (watchdog->has_timer) timer_delete(watchdog->timer);
  watchdog_of_thread = NULL;
  free(watchdog);
}

static void prepare(void) {
  lh_find_lua();
  pthread_key_create(&thread_end, free_watchdog);
  struct sigaction action = {.sa_flags = SA_RESTART | SA_SIGINFO, .sa_sigaction = timer_fired};
  sigaction(SIGRTMIN, &action, NULL);
}

static bool make_timer(lh_watchdog *watchdog) {
#ifdef LH_WITHOUT_SIGNALS
  return false;
#else
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
  event.sigev_value.sival_ptr = watchdog;
  event._sigev_un._tid = (int)syscall(SYS_gettid);
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &watchdog->timer) != 0) return false;
  set_signal_mask(SIG_UNBLOCK);
  return true;
#endif
}

static lh_watchdog *make_watchdog(void) {
  pthread_once(&prepared, prepare);
  lh_watchdog *watchdog = calloc(1, sizeof *watchdog);
  if (!watchdog) return NULL;
  watchdog->has_timer = make_timer(watchdog);
  watchdog_of_thread = watchdog;
  pthread_setspecific(thread_end, watchdog);
  return watchdog;
}

/// Without a timer (ThreadSanitizer, or the system refused one) a count hook looks at the clock.
static void use_count_hook(lh_host *host, lua_State *thread) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  host->fallback_deadline =
      now.tv_sec * 1000000000LL + now.tv_nsec + host->limits.processor_nanoseconds;
  host->uses_count_hook = true;
  lh_arm_hook(thread, NULL);
}

lh_host *lh_enter(lh_host *host, lua_State *thread) {
  lh_watchdog *watchdog = watchdog_of_thread;
  if (!watchdog) watchdog = make_watchdog();
  host->current = thread;
  if (!watchdog || !watchdog->has_timer) {
    use_count_hook(host, thread);
    return NULL;
  }
  if (host->uses_count_hook) {
    host->uses_count_hook = false;
    lh_arm_hook(thread, NULL);
  }
  lh_host *before = watchdog->active;
  watchdog->sequence++;
  watchdog->active = host;
  atomic_signal_fence(memory_order_seq_cst);
  int64_t part = part_of_limit(host);
  if (!watchdog->armed || part < watchdog->armed_part) {
    watch(watchdog);
    arm(watchdog, part);
  }
  return before;
}

void lh_leave(lh_host *host, lh_host *before) {
  lh_watchdog *watchdog = watchdog_of_thread;
  if (watchdog) {
    watchdog->active = before;
    watchdog->sequence++;
  }
  atomic_signal_fence(memory_order_seq_cst);
  host->current = NULL;
}
