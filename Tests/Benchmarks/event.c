#include "event.h"

#include <lauxlib.h>

// In the order of the hook API; their numbers are those of the table of keys.
enum key {
  K_TARGET = 1,
  K_STATUS,
  K_WAS,
  K_VIA,
  K_WAS_VIA,
  K_CHANGED,
  K_VPN,
  K_METERED,
  K_INTERFACE,
  K_ADDRESS,
  K_SOURCE,
  K_GATEWAY,
  K_GATEWAY_MAC,
  K_SSID,
  K_REASON,
  K_CAUSE,
  K_SINCE,
  K_LASTED,
  K_AT,
  K_SEQUENCE,
  K_INITIAL,
  K_MISSED,
  K_AGAIN,
  K_RETRIED,
  K_LATENCY,
  K_URL,
  K_FLAGS,
  K_RAW,
  K_FIRST_FLAG,
};

static const char *const names[] = {
    "target",      "status",     "was",       "via",     "was_via", "changed", "vpn",
    "metered",     "interface",  "address",   "source",  "gateway", "gateway_mac",
    "ssid",        "reason",     "cause",     "since",   "lasted",  "at",      "sequence",
    "initial",     "missed",     "again",     "retried", "latency", "url",     "flags",
    "raw",         "reachable",  "transient_connection", "connection_required",
    "connection_on_traffic",     "connection_on_demand", "intervention_required",
    "is_local_address",          "is_direct",            "is_wwan",
};

static const uint32_t flags[] = {
    IS_REACHABLE,          TRANSIENT_CONNECTION, CONNECTION_REQUIRED,
    CONNECTION_ON_TRAFFIC, CONNECTION_ON_DEMAND, INTERVENTION_REQUIRED,
    IS_LOCAL_ADDRESS,      IS_DIRECT,            IS_WWAN,
};

static const int property_keys[PROPERTIES] = {K_STATUS,    K_VIA,     K_VPN, K_METERED,
                                              K_INTERFACE, K_GATEWAY, K_SSID};

enum { FLAGS = sizeof flags / sizeof *flags, TOP_KEYS = K_FLAGS };

static int keys = LUA_NOREF;
static int metatable = LUA_NOREF;

// Reading a field that no event has is an error; one that this event lacks is nil.
static int no_such_field(lua_State *L) {
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) {
    lua_pushnil(L);
    return 1;
  }
  return luaL_error(L, "an event has no field '%s'", luaL_tolstring(L, 2, NULL));
}

void event_prepare(lua_State *L) {
  int count = sizeof names / sizeof *names;
  lua_createtable(L, 0, 1);
  lua_createtable(L, 0, TOP_KEYS);
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    lua_pushstring(L, names[i]);
    if (i < TOP_KEYS) {
      lua_pushvalue(L, -1);
      lua_pushboolean(L, 1);
      lua_rawset(L, -5);
    }
    lua_rawseti(L, -2, i + 1);
  }
  keys = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_pushcclosure(L, no_such_field, 1);
  lua_setfield(L, -2, "__index");
  metatable = luaL_ref(L, LUA_REGISTRYINDEX);
}

// All of these expect the keys at index `k` and the table right above it.

static void set_text(lua_State *L, int k, enum key key, struct text text) {
  if (!text.bytes) return;
  lua_rawgeti(L, k, key);
  lua_pushlstring(L, text.bytes, text.length);
  lua_rawset(L, k + 1);
}

static void set_integer(lua_State *L, int k, enum key key, int64_t value) {
  lua_rawgeti(L, k, key);
  lua_pushinteger(L, value);
  lua_rawset(L, k + 1);
}

static void set_boolean(lua_State *L, int k, enum key key, bool value) {
  lua_rawgeti(L, k, key);
  lua_pushboolean(L, value);
  lua_rawset(L, k + 1);
}

static void set_changed(lua_State *L, int k, unsigned changed) {
  lua_rawgeti(L, k, K_CHANGED);
  lua_createtable(L, 0, __builtin_popcount(changed));
  for (int i = 0; i < PROPERTIES; i++) {
    if (!(changed & 1u << i)) continue;
    lua_rawgeti(L, k, property_keys[i]);
    lua_pushboolean(L, 1);
    lua_rawset(L, k + 3);
  }
  lua_rawset(L, k + 1);
}

static void set_flags(lua_State *L, int k, uint32_t value) {
  lua_rawgeti(L, k, K_FLAGS);
  lua_createtable(L, 0, FLAGS + 1);
  for (int i = 0; i < FLAGS; i++) {
    lua_rawgeti(L, k, K_FIRST_FLAG + i);
    lua_pushboolean(L, (value & flags[i]) != 0);
    lua_rawset(L, k + 3);
  }
  lua_rawgeti(L, k, K_RAW);
  lua_pushinteger(L, value);
  lua_rawset(L, k + 3);
  lua_rawset(L, k + 1);
}

void event_push(lua_State *L, const struct event *event) {
  luaL_checkstack(L, 8, NULL);
  lua_rawgeti(L, LUA_REGISTRYINDEX, keys);
  int k = lua_gettop(L);
  lua_createtable(L, 0, TOP_KEYS);
  set_text(L, k, K_TARGET, event->target);
  set_text(L, k, K_STATUS, event->status);
  set_text(L, k, K_WAS, event->was);
  set_text(L, k, K_VIA, event->via);
  set_text(L, k, K_WAS_VIA, event->was_via);
  set_changed(L, k, event->changed);
  set_boolean(L, k, K_VPN, event->vpn);
  if (event->metered != NOT_KNOWN) set_boolean(L, k, K_METERED, event->metered == YES);
  set_text(L, k, K_INTERFACE, event->interface);
  set_text(L, k, K_ADDRESS, event->address);
  set_text(L, k, K_SOURCE, event->source);
  set_text(L, k, K_GATEWAY, event->gateway);
  set_text(L, k, K_GATEWAY_MAC, event->gateway_mac);
  set_text(L, k, K_SSID, event->ssid);
  set_text(L, k, K_REASON, event->reason);
  set_text(L, k, K_CAUSE, event->cause);
  set_integer(L, k, K_SINCE, event->since);
  if (event->has_lasted) set_integer(L, k, K_LASTED, event->lasted);
  set_integer(L, k, K_AT, event->at);
  set_integer(L, k, K_SEQUENCE, event->sequence);
  set_boolean(L, k, K_INITIAL, event->initial);
  set_integer(L, k, K_MISSED, event->missed);
  set_integer(L, k, K_AGAIN, event->again);
  set_boolean(L, k, K_RETRIED, event->retried);
  if (event->has_latency) {
    lua_rawgeti(L, k, K_LATENCY);
    lua_pushnumber(L, event->latency);
    lua_rawset(L, k + 1);
  }
  set_text(L, k, K_URL, event->url);
  set_flags(L, k, event->flags);
  lua_rawgeti(L, LUA_REGISTRYINDEX, metatable);
  lua_setmetatable(L, k + 1);
  lua_remove(L, k);
}
