// What the host claims of the default route.
#ifndef VERDICT_H
#define VERDICT_H
#include <arpa/inet.h>
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum status { UNKNOWN, UNREACHABLE, PORTAL, REACHABLE };
enum medium { NO_MEDIUM, WIRED, WIFI, WWAN, LOOPBACK, OTHER };
enum reason {
  NO_REASON,
  NO_ROUTE,
  LINK_DOWN,
  NO_CARRIER,
  NO_ADDRESS,
  INTERFACE_MISSING,
  BLACKHOLE,
  PROHIBITED,
  HOST_UNREACHABLE,
};

// The values of SCNetworkReachability.
enum flags {
  TRANSIENT_CONNECTION = 1 << 0,
  IS_REACHABLE = 1 << 1,
  CONNECTION_REQUIRED = 1 << 2,
  CONNECTION_ON_TRAFFIC = 1 << 3,
  INTERVENTION_REQUIRED = 1 << 4,
  CONNECTION_ON_DEMAND = 1 << 5,
  IS_LOCAL_ADDRESS = 1 << 16,
  IS_DIRECT = 1 << 17,
  IS_WWAN = 1 << 18,
};

struct address {
  uint8_t family;  // 0: none
  uint8_t bytes[16];
};

struct verdict {
  enum status status;
  enum reason reason;
  enum medium via;
  uint32_t flags;
  bool vpn;
  int interface_index;
  char interface[IF_NAMESIZE];
  struct address gateway;
  struct address source;
};
#endif
