// What a handler is given, as a C struct and as a Lua table.
#ifndef EVENT_H
#define EVENT_H
#include <lua.h>

#include "verdict.h"

struct text {
  const char *bytes;  // NULL: nil
  size_t length;
};

#define TEXT(literal) ((struct text){literal, sizeof(literal) - 1})

enum property { STATUS, VIA, VPN, METERED, INTERFACE, GATEWAY, SSID, PROPERTIES };

enum tristate { NO, YES, NOT_KNOWN };

struct event {
  struct text target, status, was, via, was_via;
  unsigned changed;  // bits of enum property
  bool vpn;
  enum tristate metered;
  struct text interface, address, source, gateway, gateway_mac, ssid, reason, cause;
  int64_t since, lasted, at, sequence, missed, again;
  bool has_lasted, initial, retried, has_latency;
  double latency;
  struct text url;
  uint32_t flags;
};

// Keeps the keys of the table, interned, in the registry; call it once, protected.
void event_prepare(lua_State *L);

// Pushes the event as a table; may raise for want of memory.
void event_push(lua_State *L, const struct event *event);
#endif
