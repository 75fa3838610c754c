// Changes the default route, or a link, of a network namespace, and says when.
//
// usage: change NETNS route up|down GATEWAY
//        change NETNS carrier up|down INTERFACE
//        change NETNS[,NETNS…] route|carrier COUNT INTERVAL_MS GATEWAY|INTERFACE
//
// `route` adds and deletes the IPv4 default route. `carrier` switches a link, the far end of a veth
// pair say, whose other end then has no carrier. A series goes down and up COUNT times; each step is
// made in each namespace in turn, with a wait after each. A line a change: `down 123.456789012`,
// CLOCK_BOOTTIME right before the request is sent; the lines are written at the end, so that nobody
// wakes up amid the series.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// The kernel tells carrier changes at most once a second for the whole machine.
enum { SHORTEST_ROUTE_MS = 60, SHORTEST_CARRIER_MS = 1300, MOST_PLACES = 8 };

struct request {
  struct nlmsghdr header;
  union {
    struct rtmsg route;
    struct ifinfomsg link;
  } body;
  char attributes[16];
};

// A network namespace and what is changed there.
struct place {
  int kernel;
  int interface;  // 0: the default route
};

static struct place places[MOST_PLACES];
static int place_count;
static struct in_addr gateway;

static void fail(const char *operation, const char *object) {
  fprintf(stderr, "change: %s %s: %s\n", operation, object, strerror(errno));
  exit(1);
}

static void usage(void) {
  fputs("usage: change NETNS route up|down GATEWAY\n"
        "       change NETNS carrier up|down INTERFACE\n"
        "       change NETNS[,NETNS…] route|carrier COUNT INTERVAL_MS GATEWAY|INTERFACE\n",
        stderr);
  exit(2);
}

static void enter(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "/run/netns/%s", name);
  int namespace = open(path, O_RDONLY | O_CLOEXEC);
  if (namespace < 0 || setns(namespace, CLONE_NEWNET) < 0) fail("enter network namespace", name);
  close(namespace);
}

// Adds a namespace; with an interface it is that link which will be changed there.
static void add_place(const char *name, const char *interface) {
  struct sockaddr_nl address = {.nl_family = AF_NETLINK};
  if (place_count == MOST_PLACES) usage();
  struct place *place = &places[place_count++];
  enter(name);
  place->kernel = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (place->kernel < 0) fail("open", "a netlink socket");
  if (connect(place->kernel, (struct sockaddr *)&address, sizeof address) < 0) {
    fail("connect", "a netlink socket");
  }
  if (!interface) return;
  place->interface = (int)if_nametoindex(interface);
  if (place->interface == 0) fail("find interface", interface);
}

static void write_route(struct request *request, bool up) {
  struct rtattr *attribute = (struct rtattr *)((char *)request + NLMSG_SPACE(sizeof(struct rtmsg)));
  request->header.nlmsg_type = up ? RTM_NEWROUTE : RTM_DELROUTE;
  if (up) request->header.nlmsg_flags |= NLM_F_CREATE | NLM_F_EXCL;
  request->body.route.rtm_family = AF_INET;
  request->body.route.rtm_table = RT_TABLE_MAIN;
  if (up) {
    request->body.route.rtm_protocol = RTPROT_BOOT;
    request->body.route.rtm_type = RTN_UNICAST;
  }
  request->body.route.rtm_scope = up ? RT_SCOPE_UNIVERSE : RT_SCOPE_NOWHERE;
  attribute->rta_type = RTA_GATEWAY;
  attribute->rta_len = RTA_LENGTH(sizeof gateway);
  memcpy(RTA_DATA(attribute), &gateway, sizeof gateway);
  request->header.nlmsg_len = NLMSG_SPACE(sizeof(struct rtmsg)) + attribute->rta_len;
}

static void write_link(struct request *request, int interface, bool up) {
  request->header.nlmsg_type = RTM_NEWLINK;
  request->header.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg));
  request->body.link.ifi_index = interface;
  request->body.link.ifi_flags = up ? IFF_UP : 0;
  request->body.link.ifi_change = IFF_UP;
}

// Makes the change and returns when it was asked for.
static struct timespec make(const struct place *place, bool up) {
  struct request request = {.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK};
  const char *name = place->interface ? "the link" : "the default route";
  struct {
    struct nlmsghdr header;
    struct nlmsgerr error;
    char rest[1024];
  } reply;
  struct timespec before;
  if (place->interface) {
    write_link(&request, place->interface, up);
  } else {
    write_route(&request, up);
  }
  clock_gettime(CLOCK_BOOTTIME, &before);
  ssize_t sent = send(place->kernel, &request, request.header.nlmsg_len, 0);
  if (sent < 0 || recv(place->kernel, &reply, sizeof reply, 0) < 0) fail("change", name);
  errno = -reply.error.error;
  if (errno != 0) fail(up ? "bring up" : "take down", name);
  return before;
}

static void print(bool up, struct timespec when) {
  printf("%s %lld.%09ld\n", up ? "up" : "down", (long long)when.tv_sec, when.tv_nsec);
}

static void make_series(long count, long interval) {
  struct timespec pause = {interval / 1000, interval % 1000 * 1000000};
  long steps = count * 2;
  struct timespec *times = calloc((size_t)(steps * place_count), sizeof *times);
  if (!times) fail("remember", "the series");
  for (long i = 0; i < steps * place_count; i++) {
    times[i] = make(&places[i % place_count], i / place_count % 2);
    nanosleep(&pause, NULL);
  }
  for (long i = 0; i < steps * place_count; i++) print(i / place_count % 2, times[i]);
  free(times);
}

int main(int count, char **arguments) {
  if (count != 5 && count != 6) usage();
  const char *what = arguments[2];
  const char *object = arguments[count - 1];
  bool is_route = strcmp(what, "route") == 0;
  if (!is_route && strcmp(what, "carrier") != 0) usage();
  if (is_route && inet_pton(AF_INET, object, &gateway) != 1) usage();
  for (char *name = strtok(arguments[1], ","); name; name = strtok(NULL, ",")) {
    add_place(name, is_route ? NULL : object);
  }
  if (place_count == 0 || (count == 5 && place_count > 1)) usage();
  if (count == 5) {
    bool up = strcmp(arguments[3], "up") == 0;
    if (!up && strcmp(arguments[3], "down") != 0) usage();
    print(up, make(places, up));
    return 0;
  }
  long times = atol(arguments[3]);
  long interval = atol(arguments[4]);
  long shortest = is_route ? SHORTEST_ROUTE_MS : SHORTEST_CARRIER_MS;
  if (times < 1) usage();
  if (interval < shortest) {
    fprintf(stderr, "change: a %s series needs at least %ld ms a step\n", what, shortest);
    return 2;
  }
  make_series(times, interval);
  return 0;
}
