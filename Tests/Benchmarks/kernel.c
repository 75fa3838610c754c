#define _GNU_SOURCE
#include "kernel.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define LOWER_UP (1 << 16)  // IFF_LOWER_UP, which net/if.h lacks
#define OPERSTATE_UNKNOWN 0
#define OPERSTATE_UP 6
#define DEEPEST_STACK 8

enum { MOST_LINKS = 256, MOST_ADDRESSES = 1024, MOST_HOPS = 16, SLOTS = 16, SLOT = 8192 };

struct link {
  int index;
  int lower;
  int master;
  bool lower_is_foreign;
  unsigned flags;
  uint16_t type;
  uint8_t operstate;
  uint8_t carrier;
  char name[IF_NAMESIZE];
  char kind[16];
};

struct interface_address {
  uint8_t family;
  uint8_t scope;
  uint32_t flags;
};

struct hop {
  int interface;
  struct address gateway;
};

struct route {
  int error;
  uint8_t type;
  struct address source;
  int hop_count;
  struct hop hops[MOST_HOPS];
};

struct request {
  struct nlmsghdr header;
  union {
    struct ifinfomsg link;
    struct ifaddrmsg address;
    struct rtmsg route;
  } body;
  char attributes[24];
};

static int changes = -1;
static int requests = -1;
static uint32_t sequence;

static int changed[MOST_LINKS];
static int changed_count;
static struct link links[MOST_LINKS];
static int link_count;
static struct interface_address addresses[MOST_ADDRESSES];
static int address_count;
static int last_interface;

// One buffer for all: dumps fill it whole, small datagrams a slot each.
static char storage[SLOTS * SLOT] __attribute__((aligned(8)));
static struct iovec vectors[SLOTS];
static struct mmsghdr datagrams[SLOTS];

static void fail(const char *operation) {
  perror(operation);
  exit(1);
}

// MARK: Sockets

static int open_socket(void) {
  int number = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
  if (number < 0 || bind(number, (struct sockaddr *)&kernel, sizeof kernel) < 0) {
    fail("open a netlink socket");
  }
  // A connected socket takes messages from the kernel alone.
  if (connect(number, (struct sockaddr *)&kernel, sizeof kernel) < 0) {
    fail("connect a netlink socket");
  }
  return number;
}

void kernel_open(void) {
  static const int groups[] = {
      RTNLGRP_LINK,       RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE,
      RTNLGRP_IPV6_ROUTE, RTNLGRP_IPV4_RULE,   RTNLGRP_IPV6_RULE,   RTNLGRP_NEXTHOP,
  };
  int on = 1;
  int room = 4 << 20;
  changes = open_socket();
  if (setsockopt(changes, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) < 0) {
    setsockopt(changes, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  }
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
    if (setsockopt(changes, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &groups[i], sizeof(int)) < 0) {
      fail("join a netlink group");
    }
  }
  requests = open_socket();
  setsockopt(requests, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof on);
  setsockopt(requests, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof on);
  for (int i = 0; i < SLOTS; i++) {
    vectors[i] = (struct iovec){storage + i * SLOT, SLOT};
    datagrams[i].msg_hdr.msg_iov = &vectors[i];
    datagrams[i].msg_hdr.msg_iovlen = 1;
  }
}

// Reads up to that many datagrams, each into a slot of its own; -1 with errno where none came.
static int receive(int socket, int count) {
  int received;
  do {
    received = recvmmsg(socket, datagrams, (unsigned)count, MSG_DONTWAIT, NULL);
  } while (received < 0 && errno == EINTR);
  return received;
}

static void send_all(const void *bytes, size_t length) {
  while (send(requests, bytes, length, 0) < 0) {
    if (errno != EINTR) fail("send a netlink request");
  }
}

// MARK: Hints

static void note_changed(const struct nlmsghdr *message) {
  const struct ifinfomsg *info = NLMSG_DATA(message);
  if (info->ifi_family != AF_UNSPEC) return;
  for (int i = 0; i < changed_count; i++) {
    if (changed[i] == info->ifi_index) return;
  }
  if (changed_count < MOST_LINKS) changed[changed_count++] = info->ifi_index;
}

// Reads on beyond an overrun: until the queue is empty the kernel drops what is new.
static void drain(void) {
  for (;;) {
    int count = receive(changes, SLOTS);
    if (count < 0) {
      if (errno == EAGAIN) return;
      if (errno == ENOBUFS) continue;
      fail("receive from netlink");
    }
    for (int i = 0; i < count; i++) {
      const struct nlmsghdr *message = vectors[i].iov_base;
      unsigned length = datagrams[i].msg_len;
      for (; NLMSG_OK(message, length); message = NLMSG_NEXT(message, length)) {
        if (message->nlmsg_type == RTM_NEWLINK || message->nlmsg_type == RTM_DELLINK) {
          note_changed(message);
        }
      }
    }
  }
}

void kernel_wait(void) {
  struct pollfd event = {.fd = changes, .events = POLLIN};
  while (poll(&event, 1, -1) < 0) {
    if (errno != EINTR) fail("wait for the kernel");
  }
  drain();
}

// MARK: Requests

static void discard_replies(void) {
  while (receive(requests, SLOTS) > 0 || errno == ENOBUFS) {
  }
}

// A request for one link, not a dump, waits behind the kernel's lock and works out carrier changes.
static void synchronize(void) {
  static struct {
    struct nlmsghdr header;
    struct ifinfomsg link;
  } batch[SLOTS];
  int concerned[3 * MOST_LINKS];
  int count = 0;
  for (int i = 0; i < changed_count; i++) {
    concerned[count++] = changed[i];
    for (int j = 0; j < link_count && count < MOST_LINKS; j++) {
      bool is_upper = links[j].lower == changed[i] && !links[j].lower_is_foreign;
      bool is_lower = links[j].index == changed[i];
      if (is_upper) concerned[count++] = links[j].index;
      if (is_lower && links[j].master != 0) concerned[count++] = links[j].master;
    }
  }
  if (count == 0) concerned[count++] = 1;
  changed_count = 0;

  for (int start = 0; start < count; start += SLOTS) {
    int size = count - start < SLOTS ? count - start : SLOTS;
    for (int i = 0; i < size; i++) {
      batch[i].header.nlmsg_len = sizeof batch[i];
      batch[i].header.nlmsg_type = RTM_GETLINK;
      batch[i].header.nlmsg_flags = NLM_F_REQUEST;
      batch[i].header.nlmsg_seq = ++sequence;
      batch[i].link.ifi_index = concerned[start + i];
    }
    send_all(batch, (size_t)size * sizeof *batch);
    // The kernel has answered by now.
    receive(requests, size);
  }
}

static void add_link(const struct nlmsghdr *message) {
  const struct ifinfomsg *info = NLMSG_DATA(message);
  if (link_count == MOST_LINKS) return;
  struct link *link = &links[link_count++];
  *link = (struct link){.index = info->ifi_index, .flags = info->ifi_flags, .carrier = 1};
  link->type = info->ifi_type;
  int length = (int)IFLA_PAYLOAD(message);
  for (struct rtattr *it = IFLA_RTA(info); RTA_OK(it, length); it = RTA_NEXT(it, length)) {
    const void *data = RTA_DATA(it);
    switch (it->rta_type) {
      case IFLA_IFNAME:
        strncpy(link->name, data, sizeof link->name - 1);
        break;
      case IFLA_OPERSTATE:
        link->operstate = *(const uint8_t *)data;
        break;
      case IFLA_CARRIER:
        link->carrier = *(const uint8_t *)data;
        break;
      case IFLA_LINK:
        link->lower = *(const int *)data;
        break;
      case IFLA_LINK_NETNSID:
        link->lower_is_foreign = true;
        break;
      case IFLA_MASTER:
        link->master = *(const int *)data;
        break;
      case IFLA_LINKINFO: {
        int rest = (int)RTA_PAYLOAD(it);
        for (struct rtattr *in = RTA_DATA(it); RTA_OK(in, rest); in = RTA_NEXT(in, rest)) {
          if (in->rta_type != IFLA_INFO_KIND) continue;
          strncpy(link->kind, RTA_DATA(in), sizeof link->kind - 1);
        }
        break;
      }
    }
  }
}

static void add_address(const struct nlmsghdr *message) {
  const struct ifaddrmsg *info = NLMSG_DATA(message);
  if (address_count == MOST_ADDRESSES) return;
  struct interface_address *address = &addresses[address_count++];
  *address = (struct interface_address){info->ifa_family, info->ifa_scope, info->ifa_flags};
  int length = (int)IFA_PAYLOAD(message);
  for (struct rtattr *it = IFA_RTA(info); RTA_OK(it, length); it = RTA_NEXT(it, length)) {
    if (it->rta_type == IFA_FLAGS) address->flags = *(uint32_t *)RTA_DATA(it);
  }
}

enum dump_result { COMPLETE, INTERRUPTED };

static enum dump_result receive_dump(void (*add)(const struct nlmsghdr *)) {
  enum dump_result result = COMPLETE;
  for (;;) {
    ssize_t count = recv(requests, storage, sizeof storage, 0);
    if (count < 0) {
      if (errno == EINTR) continue;
      return INTERRUPTED;
    }
    unsigned length = (unsigned)count;
    const struct nlmsghdr *message = (const struct nlmsghdr *)storage;
    for (; NLMSG_OK(message, length); message = NLMSG_NEXT(message, length)) {
      if (message->nlmsg_seq != sequence) continue;
      if (message->nlmsg_flags & NLM_F_DUMP_INTR) result = INTERRUPTED;
      if (message->nlmsg_type == NLMSG_DONE) return result;
      if (message->nlmsg_type == NLMSG_ERROR) return INTERRUPTED;
      add(message);
    }
  }
}

static void dump(int type, size_t size, int *count, void (*add)(const struct nlmsghdr *)) {
  for (int attempt = 0; attempt < 20; attempt++) {
    struct request request = {0};
    *count = 0;
    request.header.nlmsg_len = (uint32_t)NLMSG_LENGTH(size);
    request.header.nlmsg_type = (uint16_t)type;
    request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    request.header.nlmsg_seq = ++sequence;
    send_all(&request, request.header.nlmsg_len);
    if (receive_dump(add) == COMPLETE) return;
    discard_replies();
  }
}

// MARK: Routes

static size_t address_size(uint8_t family) { return family == AF_INET ? 4 : 16; }

// 0.0.0.0 itself cannot be looked up; 0.0.0.1 follows the default route.
static const struct address anywhere[2] = {{AF_INET, {0, 0, 0, 1}}, {AF_INET6, {0}}};

// Appends a lookup to a batch and returns its length.
static size_t write_lookup(char *place, const struct address *to, bool entry, int interface) {
  size_t size = address_size(to->family);
  struct nlmsghdr *header = (struct nlmsghdr *)place;
  struct rtmsg *route = NLMSG_DATA(header);
  struct rtattr *attribute = (struct rtattr *)(place + NLMSG_SPACE(sizeof *route));
  memset(place, 0, NLMSG_SPACE(sizeof *route));
  route->rtm_family = to->family;
  route->rtm_dst_len = (uint8_t)(size * 8);
  if (entry) route->rtm_flags = RTM_F_FIB_MATCH;
  attribute->rta_type = RTA_DST;
  attribute->rta_len = (uint16_t)RTA_LENGTH(size);
  memcpy(RTA_DATA(attribute), to->bytes, size);
  header->nlmsg_len = (uint32_t)(NLMSG_SPACE(sizeof *route) + RTA_LENGTH(size));
  if (interface != 0) {
    attribute = (struct rtattr *)(place + header->nlmsg_len);
    attribute->rta_type = RTA_OIF;
    attribute->rta_len = RTA_LENGTH(sizeof interface);
    memcpy(RTA_DATA(attribute), &interface, sizeof interface);
    header->nlmsg_len += RTA_LENGTH(sizeof interface);
  }
  header->nlmsg_type = RTM_GETROUTE;
  header->nlmsg_flags = NLM_F_REQUEST;
  header->nlmsg_seq = ++sequence;
  return header->nlmsg_len;
}

static void read_gateway(struct address *gateway, uint8_t family, const struct rtattr *it) {
  if (it->rta_type == RTA_VIA) {
    const struct rtvia *via = RTA_DATA(it);
    gateway->family = (uint8_t)via->rtvia_family;
    memcpy(gateway->bytes, via->rtvia_addr, address_size(gateway->family));
  } else {
    gateway->family = family;
    memcpy(gateway->bytes, RTA_DATA(it), address_size(family));
  }
}

static void read_hops(struct route *route, uint8_t family, const struct rtattr *multipath) {
  int rest = (int)RTA_PAYLOAD(multipath);
  struct rtnexthop *it = RTA_DATA(multipath);
  while (RTNH_OK(it, rest) && route->hop_count < MOST_HOPS) {
    struct hop *hop = &route->hops[route->hop_count++];
    int length = it->rtnh_len - (int)sizeof *it;
    hop->interface = it->rtnh_ifindex;
    for (struct rtattr *in = RTNH_DATA(it); RTA_OK(in, length); in = RTA_NEXT(in, length)) {
      if (in->rta_type == RTA_GATEWAY || in->rta_type == RTA_VIA) {
        read_gateway(&hop->gateway, family, in);
      }
    }
    rest -= (int)RTNH_ALIGN(it->rtnh_len);
    it = RTNH_NEXT(it);
  }
}

static void read_route(struct route *route, const struct nlmsghdr *message) {
  *route = (struct route){0};
  if (message->nlmsg_type == NLMSG_ERROR) {
    route->error = -((const struct nlmsgerr *)NLMSG_DATA(message))->error;
    return;
  }
  const struct rtmsg *info = NLMSG_DATA(message);
  struct hop single = {0};
  int length = (int)RTM_PAYLOAD(message);
  route->type = info->rtm_type;
  for (struct rtattr *it = RTM_RTA(info); RTA_OK(it, length); it = RTA_NEXT(it, length)) {
    switch (it->rta_type) {
      case RTA_OIF:
        single.interface = *(int *)RTA_DATA(it);
        break;
      case RTA_GATEWAY:
      case RTA_VIA:
        read_gateway(&single.gateway, info->rtm_family, it);
        break;
      case RTA_MULTIPATH:
        read_hops(route, info->rtm_family, it);
        break;
      case RTA_PREFSRC:
        route->source.family = info->rtm_family;
        memcpy(route->source.bytes, RTA_DATA(it), address_size(info->rtm_family));
        break;
    }
  }
  if (single.interface != 0) {
    route->hop_count = 1;
    route->hops[0] = single;
  }
}

// Sends a batch of lookups and sorts the replies by their sequence numbers.
static void ask(const char *batch, size_t length, struct route *routes, int count) {
  uint32_t first = sequence - (uint32_t)count + 1;
  for (int i = 0; i < count; i++) routes[i] = (struct route){.error = ENETUNREACH};
  send_all(batch, length);
  int missing = count;
  while (missing > 0) {
    int received = receive(requests, missing);
    if (received < 0) return;
    for (int i = 0; i < received; i++) {
      const struct nlmsghdr *message = vectors[i].iov_base;
      uint32_t offset = message->nlmsg_seq - first;
      if (!NLMSG_OK(message, datagrams[i].msg_len) || offset >= (uint32_t)count) continue;
      read_route(&routes[offset], message);
      missing--;
    }
  }
}

void kernel_find_source(struct verdict *verdict) {
  char batch[128];
  struct route route;
  if (verdict->interface_index == 0) return;
  bool is_ipv6 = verdict->gateway.family == AF_INET6;
  int interface = is_ipv6 ? verdict->interface_index : 0;
  size_t length = write_lookup(batch, &anywhere[is_ipv6], false, interface);
  ask(batch, length, &route, 1);
  if (route.error == 0) verdict->source = route.source;
}

// MARK: Judgement

static const struct link *find_link(int index) {
  for (int i = 0; i < link_count; i++) {
    if (links[i].index == index) return &links[i];
  }
  return NULL;
}

static bool is_usable(const struct link *link) {
  const unsigned needed = IFF_UP | IFF_RUNNING | LOWER_UP;
  bool is_operative = link->operstate == OPERSTATE_UP || link->operstate == OPERSTATE_UNKNOWN;
  return (link->flags & needed) == needed && link->carrier != 0 && is_operative;
}

static bool has_source(uint8_t family) {
  for (int i = 0; i < address_count; i++) {
    const struct interface_address *address = &addresses[i];
    bool is_global = address->scope < RT_SCOPE_LINK;
    bool is_valid = (address->flags & (IFA_F_TENTATIVE | IFA_F_DADFAILED)) == 0;
    if (address->family == family && is_global && is_valid) return true;
  }
  return false;
}

static bool is_any_of(const char *kind, const char *const *kinds) {
  for (; *kinds; kinds++) {
    if (strcmp(kind, *kinds) == 0) return true;
  }
  return false;
}

static bool is_tunnel(const struct link *link) {
  static const char *const kinds[] = {"tun",  "wireguard", "ovpn", "ipip", "sit", "gre",
                                      "xfrm", "ip6gre",    "vti",  "vti6", "l2tp", NULL};
  return link->kind[0] != 0 && is_any_of(link->kind, kinds);
}

// By what netlink says alone.
static enum medium classify(const struct link *link, int depth) {
  static const char *const stacked[] = {"vlan", "macvlan", "macvtap", "ipvlan", NULL};
  if (link->flags & IFF_LOOPBACK) return LOOPBACK;
  if (link->type >= 801 && link->type <= 803) return WIFI;
  if (link->type == 519 || link->type == 530) return WWAN;
  if (strcmp(link->kind, "wwan") == 0) return WWAN;
  if (depth < DEEPEST_STACK && is_any_of(link->kind, stacked) && !link->lower_is_foreign) {
    const struct link *lower = find_link(link->lower);
    if (lower) return classify(lower, depth + 1);
  }
  if (link->type == 512 || is_tunnel(link)) return OTHER;
  if (strncmp(link->name, "ww", 2) == 0) return WWAN;
  if (strncmp(link->name, "wl", 2) == 0) return WIFI;
  return link->type == 1 ? WIRED : OTHER;
}

static struct verdict unreachable(enum reason reason) {
  return (struct verdict){.status = UNREACHABLE, .reason = reason};
}

static enum reason reason_of_refusal(int error) {
  switch (error) {
    case EINVAL:
      return BLACKHOLE;
    case EACCES:
      return PROHIBITED;
    case EHOSTUNREACH:
      return HOST_UNREACHABLE;
    default:
      return NO_ROUTE;
  }
}

static enum reason reason_of_loss(int index) {
  const struct link *link = find_link(index);
  if (!link) return INTERFACE_MISSING;
  return link->flags & IFF_UP ? NO_CARRIER : LINK_DOWN;
}

static struct verdict judge_local(void) {
  const struct link *loopback = find_link(1);
  if (!loopback || !(loopback->flags & IFF_UP)) return unreachable(LINK_DOWN);
  struct verdict verdict = {.status = REACHABLE, .via = LOOPBACK, .interface_index = 1};
  verdict.flags = IS_REACHABLE | IS_LOCAL_ADDRESS | IS_DIRECT;
  memcpy(verdict.interface, loopback->name, sizeof verdict.interface);
  return verdict;
}

static struct verdict judge_hop(const struct hop *hop, const struct link *link) {
  struct verdict verdict = {.status = REACHABLE, .via = classify(link, 0)};
  bool is_point_to_point = (link->flags & IFF_POINTOPOINT) != 0;
  verdict.flags = IS_REACHABLE;
  verdict.vpn = is_tunnel(link);
  verdict.gateway = hop->gateway;
  verdict.interface_index = link->index;
  memcpy(verdict.interface, link->name, sizeof verdict.interface);
  if (hop->gateway.family == 0 && !is_point_to_point) verdict.flags |= IS_DIRECT;
  if (verdict.vpn || is_point_to_point) verdict.flags |= TRANSIENT_CONNECTION;
  if (verdict.via == WWAN) verdict.flags |= IS_WWAN | TRANSIENT_CONNECTION;
  return verdict;
}

static struct verdict judge(const struct route *route, uint8_t family) {
  if (route->error != 0) return unreachable(reason_of_refusal(route->error));
  switch (route->type) {
    case RTN_LOCAL:
    case RTN_ANYCAST:
      return judge_local();
    case RTN_UNICAST:
    case RTN_BROADCAST:
    case RTN_MULTICAST:
      break;
    default:
      return unreachable(NO_ROUTE);
  }
  for (int i = 0; i < route->hop_count; i++) {
    const struct link *link = find_link(route->hops[i].interface);
    if (!link || !is_usable(link)) continue;
    if (!has_source(family)) return unreachable(NO_ADDRESS);
    return judge_hop(&route->hops[i], link);
  }
  return unreachable(route->hop_count ? reason_of_loss(route->hops[0].interface) : NO_ROUTE);
}

struct verdict kernel_judge(void) {
  char batch[256];
  struct route routes[2];
  synchronize();
  dump(RTM_GETLINK, sizeof(struct ifinfomsg), &link_count, add_link);
  dump(RTM_GETADDR, sizeof(struct ifaddrmsg), &address_count, add_address);
  size_t length = write_lookup(batch, &anywhere[0], true, 0);
  length += write_lookup(batch + length, &anywhere[1], true, 0);
  ask(batch, length, routes, 2);

  struct verdict verdict = judge(&routes[0], AF_INET);
  if (verdict.status != REACHABLE) {
    struct verdict other = judge(&routes[1], AF_INET6);
    if (other.status == REACHABLE) verdict = other;
  }
  if (verdict.status == REACHABLE) {
    last_interface = verdict.interface_index;
  } else if (verdict.reason == NO_ROUTE && last_interface != 0) {
    const struct link *link = find_link(last_interface);
    if (!link || !is_usable(link)) verdict.reason = reason_of_loss(last_interface);
  }
  return verdict;
}
