// Lua calls Swift: the arguments become a stream, one callback answers, C returns, raises or waits.
#include "host.h"

#include <string.h>

/// Upvalue 1 of a function of a namespace is its `lh_function`.
static lh_function *function_of(lua_State *L) {
  return lua_touserdata(L, lua_upvalueindex(1));
}

static void check_wait(lua_State *L, const lh_function *function) {
  lh_host *host = function->host;
  if (host->loading) luaL_error(L, "%s%s", function->name, host->wait_refusal);
  if (host->running->cancelled) {
    luaL_error(L, "%s waits; that is not possible once the run is cancelled", function->name);
  }
  if (!lua_isyieldable(L)) {
    luaL_error(
        L, "%s waits; that is not possible inside a metamethod or a function that Lua's own "
           "libraries call", function->name);
  }
}

/// A method that is called with a dot, or with something else before its colon.
static void check_self(lua_State *L, const lh_function *function) {
  const lh_object *object = lua_touserdata(L, 1);
  if (object && object->class_id == function->class_id) return;
  int count = lua_gettop(L);
  const char *form = count == 0 ? "()" : count == 1 && lua_istable(L, 1) ? "{ … }" : "(…)";
  luaL_error(L, "write %s%s, with a colon", function->name, form);
}

/// Replaces the arguments by one string: formatted when there are several.
static void format_arguments(lua_State *L, const lh_function *function) {
  lh_host *host = function->host;
  int count = lua_gettop(L);
  if (count > 1) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, host->format);
    lua_insert(L, 1);
    if (lua_pcall(L, count, 1, 0) == LUA_OK) return;
    // Lua names its own function, and no line, since it is C that called it.
    const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    if (!host->kill && strstr(message, "'string.format'")) {
      luaL_error(L, "%s", luaL_gsub(L, message, "string.format", function->name));
    }
    lua_error(L);
  }
  if (count == 0) lua_pushliteral(L, "");
  luaL_tolstring(L, 1, NULL);
  lua_replace(L, 1);
}

/// Replaces the arguments by one string: the text of each, with tabs between.
static void join_arguments(lua_State *L) {
  int count = lua_gettop(L);
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (int i = 1; i <= count; i++) {
    if (i > 1) luaL_addchar(&buffer, '\t');
    size_t length;
    luaL_tolstring(L, i, &length);
    if (length + luaL_bufflen(&buffer) > lh_host_of(L)->limits.string_length) {
      lh_refuse_length(L);
    }
    luaL_addvalue(&buffer);
  }
  luaL_pushresult(&buffer);
  lua_replace(L, 1);
  lua_settop(L, 1);
}

static int after_wait(lua_State *L, int status, lua_KContext context) {
  (void)status;
  (void)context;
  lh_host *host = lh_host_of(L);
  if (host->running->cancelled) {
    lh_keep_traceback(L, 0);
    return lh_raise_kill(L);
  }
  if (host->incoming_raises) return lh_raise_reply(L, host->incoming);
  return lh_push_all(L, host->incoming);
}

static int call_function(lua_State *L) {
  const lh_function *function = function_of(L);
  lh_host *host = function->host;
  lh_check_kill(L);
  if (function->class_id >= 0) check_self(L, function);
  if (function->flags & LH_FUNCTION_WAITS) check_wait(L, function);
  if (function->flags & LH_FUNCTION_FORMAT) format_arguments(L, function);
  if (function->flags & LH_FUNCTION_JOIN) join_arguments(L);

  int count = lua_gettop(L);
  lh_clear_arguments(host);
  for (int i = 1; i <= count; i++) {
    const char *error = lh_take(L, i, function->flags);
    if (!error) continue;
    lh_forget_functions(host);
    return luaL_error(L, "%s: %s", function->name, error);
  }
  lh_buffer_clear(&host->reply);
  host->in_callback = true;
  lh_status status = host->callbacks.call(
      host->callbacks.context, function->number, host->arguments, host->argument_count,
      &host->reply);
  host->in_callback = false;
  switch (status) {
    case LH_RETURN:
      return lh_push_all(L, &host->reply);
    case LH_RAISE:
      return lh_raise_reply(L, &host->reply);
    case LH_WAIT:
      if (!(function->flags & LH_FUNCTION_WAITS)) {
        return luaL_error(L, "%s waits without having been declared so", function->name);
      }
      return lua_yieldk(L, 0, 0, after_wait);
    case LH_RUN:
      return lh_run_chunk_of_reply(L);
    case LH_RECALL:
      return lh_recall_chunk_of_reply(L);
  }
  return 0;
}

void lh_push_function(lua_State *L, lh_function *function) {
  lua_pushlightuserdata(L, function);
  lua_pushcclosure(L, call_function, 1);
}
