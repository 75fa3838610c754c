// What reach does between the kernel and a hook, as a bare C program: the measure of its speed.
//
// usage: host run SCRIPT.lua     watch the default route and call the script's handlers
//        host dispatch N         time N calls of a handler, five times over
//
// Both walk the same stations. What does not lie on an event's way is left out: settling, expiring
// routes, other targets than the default route, limits on scripts, coroutines, records, logs.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel.h"
#include "script.h"

static const struct text status_texts[] = {
    TEXT("unknown"), TEXT("unreachable"), TEXT("portal"), TEXT("reachable")};

static const struct text medium_texts[] = {{NULL, 0},    TEXT("wired"),    TEXT("wifi"),
                                           TEXT("wwan"), TEXT("loopback"), TEXT("other")};

static const struct text reason_texts[] = {
    {NULL, 0},          TEXT("no-route"),          TEXT("link-down"), TEXT("no-carrier"),
    TEXT("no-address"), TEXT("interface-missing"), TEXT("blackhole"), TEXT("prohibited"),
    TEXT("host-unreachable")};

// MARK: From the watcher to the hooks' thread

struct transition {
  struct verdict to;
  int64_t sequence;
  int64_t at;
};

// The oldest transition is dropped where the hooks cannot keep up.
static struct {
  pthread_mutex_t lock;
  pthread_cond_t filled;
  struct transition waiting[64];
  unsigned first;
  unsigned count;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER};

enum { POOL_SIZE = sizeof pool.waiting / sizeof *pool.waiting };

static void pool_give(const struct transition *transition) {
  pthread_mutex_lock(&pool.lock);
  if (pool.count == POOL_SIZE) {
    pool.first = (pool.first + 1) % POOL_SIZE;
    pool.count--;
  }
  pool.waiting[(pool.first + pool.count) % POOL_SIZE] = *transition;
  pool.count++;
  pthread_mutex_unlock(&pool.lock);
  pthread_cond_signal(&pool.filled);
}

static struct transition pool_take(void) {
  pthread_mutex_lock(&pool.lock);
  while (pool.count == 0) pthread_cond_wait(&pool.filled, &pool.lock);
  struct transition transition = pool.waiting[pool.first];
  pool.first = (pool.first + 1) % POOL_SIZE;
  pool.count--;
  pthread_mutex_unlock(&pool.lock);
  return transition;
}

// MARK: What the hooks are told

struct told {
  struct verdict verdict;
  int64_t since;
};

static bool same_address(const struct address *a, const struct address *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

static unsigned changes(const struct verdict *from, const struct verdict *to) {
  unsigned changed = 0;
  if (from->status != to->status) changed |= 1u << STATUS;
  if (from->via != to->via) changed |= 1u << VIA;
  if (from->vpn != to->vpn) changed |= 1u << VPN;
  if (strcmp(from->interface, to->interface) != 0) changed |= 1u << INTERFACE;
  if (!same_address(&from->gateway, &to->gateway)) changed |= 1u << GATEWAY;
  return changed;
}

static struct text address_text(const struct address *address, char *storage) {
  if (address->family == 0) return (struct text){NULL, 0};
  inet_ntop(address->family, address->bytes, storage, INET6_ADDRSTRLEN);
  return (struct text){storage, strlen(storage)};
}

static void tell(struct told *told, const struct transition *transition) {
  char gateway[INET6_ADDRSTRLEN];
  char source[INET6_ADDRSTRLEN];
  const struct verdict *from = &told->verdict;
  const struct verdict *to = &transition->to;
  bool goes_on = from->status == to->status;
  int64_t since = goes_on ? told->since : transition->at;
  struct event event = {
      .target = TEXT("internet"),
      .status = status_texts[to->status],
      .was = status_texts[from->status],
      .via = medium_texts[to->via],
      .was_via = medium_texts[from->via],
      .changed = changes(from, to),
      .vpn = to->vpn,
      .metered = NOT_KNOWN,
      .source = address_text(&to->source, source),
      .gateway = address_text(&to->gateway, gateway),
      .reason = reason_texts[to->reason],
      .cause = from->status == UNKNOWN ? TEXT("restart") : TEXT("local"),
      .since = since,
      .has_lasted = !goes_on && from->status != UNKNOWN,
      .lasted = since - told->since,
      .at = transition->at,
      .sequence = transition->sequence,
      .initial = from->status == UNKNOWN,
      .flags = to->flags,
  };
  if (to->interface[0]) event.interface = (struct text){to->interface, strlen(to->interface)};
  script_tell(&event, to->status);
  *told = (struct told){*to, since};
}

static void *run_hooks(void *unused) {
  static struct told told;
  (void)unused;
  for (;;) {
    struct transition transition = pool_take();
    tell(&told, &transition);
  }
  return NULL;
}

// MARK: Commands

static bool differs(const struct verdict *from, const struct verdict *to) {
  return changes(from, to) != 0 || from->flags != to->flags;
}

static int run(const char *path) {
  struct transition latest = {0};
  pthread_t hooks_thread;
  if (!script_open() || !script_load(path, NULL)) return 1;
  kernel_open();
  errno = pthread_create(&hooks_thread, NULL, run_hooks, NULL);
  if (errno != 0) {
    perror("host: start a thread");
    return 1;
  }
  for (;;) {
    struct verdict verdict = kernel_judge();
    if (differs(&latest.to, &verdict)) {
      kernel_find_source(&verdict);
      latest.to = verdict;
      latest.sequence++;
      latest.at = time(NULL);
      pool_give(&latest);
    }
    kernel_wait();
  }
}

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// An event of which no field is nil: WiFi met a sign-in page. Its addresses are made into text for
// each, as `tell` does.
static void fill(struct event *event, char texts[3][INET6_ADDRSTRLEN], int64_t sequence) {
  static const struct address address = {AF_INET, {192, 0, 2, 7}};
  static const struct address source = {AF_INET, {198, 51, 100, 4}};
  static const struct address gateway = {AF_INET, {198, 51, 100, 1}};
  *event = (struct event){
      .target = TEXT("nas"),
      .status = TEXT("portal"),
      .was = TEXT("reachable"),
      .via = TEXT("wifi"),
      .was_via = TEXT("wired"),
      .changed = (1u << PROPERTIES) - 1,
      .vpn = false,
      .metered = YES,
      .interface = TEXT("wlan0"),
      .address = address_text(&address, texts[0]),
      .source = address_text(&source, texts[1]),
      .gateway = address_text(&gateway, texts[2]),
      .gateway_mac = TEXT("02:00:5e:10:00:01"),
      .ssid = TEXT("Home 5G"),
      .reason = TEXT("portal"),
      .cause = TEXT("remote"),
      .since = 1764000000,
      .has_lasted = true,
      .lasted = 3600,
      .at = 1764000000,
      .sequence = sequence,
      .has_latency = true,
      .latency = 0.0125,
      .url = TEXT("http://portal.example/login"),
      .flags = IS_REACHABLE,
  };
}

static int compare(const void *a, const void *b) {
  double left = *(const double *)a;
  double right = *(const double *)b;
  return (left > right) - (left < right);
}

static int dispatch(int64_t count) {
  static const char text[] =
      "local n = 0\n"
      "function count() return n end\n"
      "reach.on { target = reach.internet, portal = function(e) n = n + 1 end }\n";
  enum { ROUNDS = 5 };
  double rounds[ROUNDS];
  struct event event;
  char texts[3][INET6_ADDRSTRLEN];
  if (!script_open() || !script_load(NULL, text)) return 1;
  for (int round = -1; round < ROUNDS; round++) {  // the first only warms up
    double start = seconds();
    for (int64_t i = 0; i < count; i++) {
      fill(&event, texts, i);
      script_tell(&event, PORTAL);
    }
    if (round >= 0) rounds[round] = (seconds() - start) * 1e9 / (double)count;
  }
  if (script_count() != (ROUNDS + 1) * count) {
    fputs("host: a handler was not called\n", stderr);
    return 1;
  }
  qsort(rounds, ROUNDS, sizeof *rounds, compare);
  printf("dispatch best %.1f median %.1f ns\n", rounds[0], rounds[ROUNDS / 2]);
  return 0;
}

int main(int count, char **arguments) {
  // Options before the script are reach's: --settle 0 is all that the host can do.
  if (count >= 3 && strcmp(arguments[1], "run") == 0) return run(arguments[count - 1]);
  if (count == 3 && strcmp(arguments[1], "dispatch") == 0 && atoll(arguments[2]) > 0) {
    return dispatch(atoll(arguments[2]));
  }
  fputs("usage: host run SCRIPT.lua | host dispatch N\n", stderr);
  return 2;
}
