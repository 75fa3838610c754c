// pcall, xpcall and setmetatable as scripts see them: what kills or cancels a run passes through.
#include "host.h"

/// Bits of the continuation's context.
enum {
  STARTED_CANCELLED = 1,
  IS_XPCALL = 2,
};

static bool is_cancelled(lh_host *host) {
  return host->running && host->running->cancelled;
}

/// An error on its way out that no protected call may stop. A call begun after the cancellation,
/// by a `__close`, does catch the errors of its own function.
static bool is_ending(lh_host *host, bool started_cancelled) {
  return host->kill || (is_cancelled(host) && !started_cancelled);
}

static int finish(lua_State *L, int status, lua_KContext context) {
  bool failed = status != LUA_OK && status != LUA_YIELD;
  if (is_ending(lh_host_of(L), context & STARTED_CANCELLED)) {
    return failed ? lua_error(L) : lh_raise_kill(L);
  }
  if (failed) {
    lua_pushboolean(L, false);
    lua_insert(L, -2);
    return 2;
  }
  int below = context & IS_XPCALL ? 2 : 0;
  return lua_gettop(L) - below;
}

static lua_KContext starting_context(lua_State *L) {
  return is_cancelled(lh_host_of(L)) ? STARTED_CANCELLED : 0;
}

int lh_pcall(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushboolean(L, true);
  lua_insert(L, 1);
  lua_KContext context = starting_context(L);
  int status = lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, context, finish);
  return finish(L, status, context);
}

/// Stands in for the script's message handler, which must not run for a kill: an error raised in a
/// hook runs its handler with hooks off, for as long as it likes.
static int guarded_handler(lua_State *L) {
  bool started_cancelled = lua_toboolean(L, lua_upvalueindex(2));
  if (is_ending(lh_host_of(L), started_cancelled)) return 1;
  lua_settop(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, 1, 1);
  return 1;
}

int lh_xpcall(lua_State *L) {
  int count = lua_gettop(L);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_KContext context = starting_context(L);
  lua_pushvalue(L, 2);
  lua_pushboolean(L, context & STARTED_CANCELLED);
  lua_pushcclosure(L, guarded_handler, 2);
  lua_replace(L, 2);
  lua_pushboolean(L, true);
  lua_pushvalue(L, 1);
  lua_rotate(L, 3, 2);
  context |= IS_XPCALL;
  int status = lua_pcallk(L, count - 2, LUA_MULTRET, 2, context, finish);
  return finish(L, status, context);
}

int lh_setmetatable(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  int type = lua_type(L, 2);
  luaL_argexpected(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
  if (type == LUA_TTABLE) {
    lua_pushliteral(L, "__gc");
    if (lua_rawget(L, 2) != LUA_TNIL) return luaL_error(L, "__gc is not available");
    lua_pop(L, 1);
  }
  if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) {
    return luaL_error(L, "cannot change a protected metatable");
  }
  lua_settop(L, 2);
  lua_setmetatable(L, 1);
  return 1;
}
