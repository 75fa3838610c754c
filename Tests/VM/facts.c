// Measures what the kernel does that Reach is built around, and reports as TAP: facts routes|carriers
//
// It needs, as tests/kernel.sh makes them, the links of `enum link` with carriers, of which each far
// one is the other end of a near one and lies in the network namespace `far`.

#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// A veth pair of one index is limited as hardware is.
enum link { LOOPBACK = 1, NEAR = 11, FAR = NEAR, OTHER_NEAR = 12, OTHER_FAR = OTHER_NEAR, BRIDGE };

static void fail(const char *what) {
  printf("not ok - %s: %s\n", what, strerror(errno));
  exit(1);
}

static void check(bool holds, const char *claim) {
  printf("%sok - %s\n", holds ? "" : "not ", claim);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void pause_for(double milliseconds) { usleep(milliseconds * 1000); }

// MARK: Netlink

static int events, requests, far_requests;

static int open_socket(uint32_t groups) {
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (descriptor < 0 || bind(descriptor, (void *)&address, sizeof address) < 0) fail("socket");
  return descriptor;
}

struct request {
  struct nlmsghdr header;
  union {
    struct ifinfomsg link;
    struct rtmsg route;
  };
  char attributes[64];
};

static struct request request(int type, int flags, size_t body) {
  struct request request = {0};
  request.header.nlmsg_type = type;
  request.header.nlmsg_flags = NLM_F_REQUEST | flags;
  request.header.nlmsg_len = NLMSG_LENGTH(body);
  return request;
}

static void add(struct request *request, int type, uint32_t value) {
  struct rtattr attribute = {RTA_LENGTH(sizeof value), type};
  char *end = (char *)request + NLMSG_ALIGN(request->header.nlmsg_len);
  memcpy(end, &attribute, sizeof attribute);
  memcpy(end + RTA_LENGTH(0), &value, sizeof value);
  request->header.nlmsg_len = end + RTA_LENGTH(sizeof value) - (char *)request;
}

// Of each thread its own.
static _Thread_local char reply[65536];

// Sends a request and takes the first datagram of its answer; its length.
static int ask(int descriptor, const struct request *request) {
  if (send(descriptor, request, request->header.nlmsg_len, 0) < 0) fail("send");
  int length = recv(descriptor, reply, sizeof reply, 0);
  if (length < 0) fail("receive");
  return length;
}

static void order(int descriptor, const struct request *request) {
  ask(descriptor, request);
  const struct nlmsgerr *answer = NLMSG_DATA((struct nlmsghdr *)reply);
  errno = -answer->error;
  if (errno != 0) fail("order");
}

static void set_link(int descriptor, int index, bool up) {
  struct request set = request(RTM_NEWLINK, NLM_F_ACK, sizeof set.link);
  set.link.ifi_index = index;
  set.link.ifi_change = IFF_UP;
  set.link.ifi_flags = up ? IFF_UP : 0;
  order(descriptor, &set);
}

static void add_default_route(void) {
  struct request set = request(RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE, sizeof set.route);
  set.route = (struct rtmsg){.rtm_family = AF_INET, .rtm_table = RT_TABLE_MAIN,
                             .rtm_protocol = RTPROT_STATIC, .rtm_scope = RT_SCOPE_LINK,
                             .rtm_type = RTN_UNICAST};
  add(&set, RTA_OIF, NEAR);
  order(requests, &set);
}

static bool has_default_route(void) {
  struct request get = request(RTM_GETROUTE, 0, sizeof get.route);
  get.route = (struct rtmsg){.rtm_family = AF_INET, .rtm_dst_len = 32,
                             .rtm_flags = RTM_F_FIB_MATCH};
  add(&get, RTA_DST, htobe32(1));
  ask(requests, &get);
  return ((struct nlmsghdr *)reply)->nlmsg_type == RTM_NEWROUTE;
}

// The flags of a link, asked for alone.
static unsigned flags_of(int index) {
  struct request get = request(RTM_GETLINK, 0, sizeof get.link);
  get.link.ifi_index = index;
  ask(requests, &get);
  const struct ifinfomsg *link = NLMSG_DATA((struct nlmsghdr *)reply);
  return link->ifi_flags;
}

// The flags of a link in a list of all.
static unsigned listed_flags_of(int index) {
  struct request get = request(RTM_GETLINK, NLM_F_DUMP, sizeof get.link);
  unsigned flags = 0;
  for (int length = ask(requests, &get);; length = recv(requests, reply, sizeof reply, 0)) {
    struct nlmsghdr *message = (void *)reply;
    for (; NLMSG_OK(message, (unsigned)length); message = NLMSG_NEXT(message, length)) {
      if (message->nlmsg_type == NLMSG_DONE) return flags;
      const struct ifinfomsg *link = NLMSG_DATA(message);
      if (link->ifi_index == index) flags = link->ifi_flags;
    }
  }
}

// Takes an event of a link; its flags, or -1 where none of it came within the time.
static int next_event(int index, double milliseconds) {
  static char bytes[65536];
  double end = now() + milliseconds;
  do {
    struct pollfd event = {events, POLLIN, 0};
    double left = end - now();
    if (poll(&event, 1, left > 0 ? (int)left : 0) <= 0) continue;
    int length = recv(events, bytes, sizeof bytes, 0);
    struct nlmsghdr *message = (void *)bytes;
    for (; NLMSG_OK(message, (unsigned)length); message = NLMSG_NEXT(message, length)) {
      const struct ifinfomsg *link = NLMSG_DATA(message);
      if (message->nlmsg_type == RTM_NEWLINK && link->ifi_family == AF_UNSPEC &&
          link->ifi_index == index)
        return link->ifi_flags;
    }
  } while (now() < end);
  return -1;
}

static void forget_events(void) {
  while (recv(events, reply, sizeof reply, MSG_DONTWAIT) >= 0) continue;
}

// MARK: Fact 2: an event is sent before its change is finished

static void *switch_off(void *descriptor) {
  set_link(*(int *)descriptor, NEAR, false);
  return 0;
}

// How often the route of a link that was said to be off was still there.
static int stale_routes(int rounds, bool with_barrier) {
  int stale = 0, switching = open_socket(0);
  for (int round = 0; round < rounds; round++) {
    set_link(requests, NEAR, true);
    add_default_route();
    if (!has_default_route()) fail("no route");
    forget_events();
    pthread_t thread;
    pthread_create(&thread, 0, switch_off, &switching);
    for (int flags = IFF_UP; flags & IFF_UP;) {
      flags = next_event(NEAR, 5000);
      if (flags < 0) fail("no event");
    }
    if (with_barrier) flags_of(LOOPBACK);
    stale += has_default_route();
    pthread_join(thread, 0);
  }
  set_link(requests, NEAR, true);
  close(switching);
  return stale;
}

static void measure_stale_routes(void) {
  const int rounds = 200;
  int without = stale_routes(rounds, false), with = stale_routes(rounds, true);
  printf("# fact 2: a route of a link said to be off was found %d times of %d, and behind a request "
         "for one link %d times\n", without, rounds, with);
  check(with == 0, "behind a request for one link a change is finished");
}

// MARK: Facts 4 and 5: carrier changes are held back, unless somebody asks

enum inquiry { NONE, ALONE, LISTED };

// When, in milliseconds after a cable was pulled, its loss was told and answered.
struct delays {
  double event, bridge_event, answer, bridge_answer;
};

static bool works(unsigned flags) {
  return flags & IFF_RUNNING && flags & IFF_LOWER_UP;
}

static unsigned inquire(enum inquiry inquiry, int index) {
  return inquiry == ALONE ? flags_of(index) : listed_flags_of(index);
}

// Pulls a cable 100 ms after another one.
static struct delays pull(enum inquiry inquiry) {
  set_link(far_requests, FAR, true);
  set_link(far_requests, OTHER_FAR, true);
  // Until the kernel tells at once again what it is told next, of the bridge too.
  pause_for(3500);
  set_link(far_requests, OTHER_FAR, false);
  pause_for(100);
  forget_events();

  struct delays delays = {-1, -1, -1, -1};
  double start = now();
  set_link(far_requests, FAR, false);
  while (now() < start + 3500 && (delays.event < 0 || delays.bridge_event < 0)) {
    int index = delays.event < 0 ? NEAR : BRIDGE;
    int flags = next_event(index, inquiry == NONE ? 100 : 5);
    double *told = delays.event < 0 ? &delays.event : &delays.bridge_event;
    if (flags >= 0 && !works(flags)) *told = now() - start;
    if (inquiry == NONE) continue;
    if (delays.answer < 0 && !works(inquire(inquiry, NEAR))) delays.answer = now() - start;
    if (delays.bridge_answer < 0 && !works(inquire(inquiry, BRIDGE)))
      delays.bridge_answer = now() - start;
  }
  return delays;
}

static double latest(double left, double right) { return left > right ? left : right; }

static void measure_carriers(void) {
  const char *names[] = {"nobody asking", "one link being asked for", "all links being listed"};
  struct delays worst[3] = {0};
  for (int inquiry = NONE; inquiry <= LISTED; inquiry++) {
    for (int round = 0; round < 3; round++) {
      struct delays delays = pull(inquiry);
      printf("# facts 4 and 5: with %s, a lost carrier: told after %.0f ms, of its bridge %.0f ms",
             names[inquiry], delays.event, delays.bridge_event);
      if (inquiry != NONE)
        printf("; answered after %.0f ms, of its bridge %.0f ms", delays.answer,
               delays.bridge_answer);
      printf("\n");
      fflush(stdout);
      bool told = delays.event >= 0 && delays.bridge_event >= 0;
      worst[inquiry].event = latest(worst[inquiry].event, told ? delays.event : 1e9);
      worst[inquiry].bridge_event =
          latest(worst[inquiry].bridge_event, told ? delays.bridge_event : 1e9);
      worst[inquiry].answer = latest(worst[inquiry].answer, delays.answer);
    }
  }
  // A second and two, and what the emulation adds.
  check(worst[NONE].event < 1500, "a lost carrier is told within a second");
  check(worst[NONE].bridge_event < 3000, "that of a bridge within two");
  check(worst[LISTED].answer < 500, "a list of all links tells it at once");
}

static int open_far_socket(void) {
  int near = open("/proc/self/ns/net", O_RDONLY), far = open("/run/netns/far", O_RDONLY);
  if (far < 0 || setns(far, CLONE_NEWNET) < 0) fail("far");
  int descriptor = open_socket(0);
  if (setns(near, CLONE_NEWNET) < 0) fail("near");
  return descriptor;
}

int main(int count, char **arguments) {
  events = open_socket(RTMGRP_LINK);
  requests = open_socket(0);
  far_requests = open_far_socket();
  if (count == 2 && !strcmp(arguments[1], "routes")) measure_stale_routes();
  else if (count == 2 && !strcmp(arguments[1], "carriers")) measure_carriers();
  else return fputs("usage: facts routes|carriers\n", stderr), 2;
}
