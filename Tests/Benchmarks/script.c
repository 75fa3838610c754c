#include "script.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_HOOKS = 16 };

struct hook {
  int status_handlers[REACHABLE + 1];
  int change_handler;
};

static lua_State *interpreter;
static struct hook hooks[MOST_HOOKS];
static int hook_count;

static bool said_why(int result) {
  if (result == LUA_OK) return false;
  const char *message = lua_tostring(interpreter, -1);
  fprintf(stderr, "host: %s\n", message ? message : "error object is not a string");
  lua_settop(interpreter, 0);
  return true;
}

// MARK: What the script calls

static int now(lua_State *L) {
  struct timespec time;
  clock_gettime(CLOCK_BOOTTIME, &time);
  lua_pushnumber(L, (double)time.tv_sec + (double)time.tv_nsec / 1e9);
  return 1;
}

static int print(lua_State *L) {
  int count = lua_gettop(L);
  luaL_Buffer line;
  luaL_buffinit(L, &line);
  for (int i = 1; i <= count; i++) {
    if (i > 1) luaL_addchar(&line, '\t');
    luaL_tolstring(L, i, NULL);
    luaL_addvalue(&line);
  }
  luaL_addchar(&line, '\n');
  luaL_pushresult(&line);
  size_t length;
  const char *bytes = lua_tolstring(L, -1, &length);
  if (write(STDERR_FILENO, bytes, length) < 0) return luaL_error(L, "print: cannot write");
  return 0;
}

static int handler(lua_State *L, const char *name) {
  if (lua_getfield(L, 1, name) == LUA_TNIL) {
    lua_pop(L, 1);
    return LUA_NOREF;
  }
  luaL_checktype(L, -1, LUA_TFUNCTION);
  return luaL_ref(L, LUA_REGISTRYINDEX);
}

static int on(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  if (lua_getfield(L, 1, "target") != LUA_TTABLE || !lua_rawequal(L, -1, lua_upvalueindex(1))) {
    return luaL_error(L, "the host knows no target but reach.internet");
  }
  if (hook_count == MOST_HOOKS) return luaL_error(L, "more than %d hooks", MOST_HOOKS);
  struct hook *hook = &hooks[hook_count++];
  hook->status_handlers[UNKNOWN] = LUA_NOREF;
  hook->status_handlers[PORTAL] = handler(L, "portal");
  hook->status_handlers[UNREACHABLE] = handler(L, "unreachable");
  hook->status_handlers[REACHABLE] = handler(L, "reachable");
  hook->change_handler = handler(L, "change");
  return 0;
}

// MARK: Protected calls

static int build(lua_State *L) {
  luaL_openlibs(L);
  event_prepare(L);
  lua_pushcfunction(L, print);
  lua_setglobal(L, "print");
  lua_createtable(L, 0, 3);
  lua_pushcfunction(L, now);
  lua_setfield(L, -2, "now");
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "internet");
  lua_setfield(L, -2, "name");
  lua_pushvalue(L, -1);
  lua_pushcclosure(L, on, 1);
  lua_setfield(L, -3, "on");
  lua_setfield(L, -2, "internet");
  lua_setglobal(L, "reach");
  return 0;
}

bool script_open(void) {
  interpreter = luaL_newstate();
  if (!interpreter) {
    fputs("host: no memory for an interpreter\n", stderr);
    return false;
  }
  lua_pushcfunction(interpreter, build);
  return !said_why(lua_pcall(interpreter, 0, 0, 0));
}

bool script_load(const char *path, const char *text) {
  int loaded = text ? luaL_loadstring(interpreter, text) : luaL_loadfile(interpreter, path);
  return !said_why(loaded) && !said_why(lua_pcall(interpreter, 0, 0, 0));
}

struct call {
  const struct event *event;
  const int *handlers;
  int count;
};

static int call_handlers(lua_State *L) {
  const struct call *call = lua_touserdata(L, 1);
  event_push(L, call->event);
  for (int i = 0; i < call->count; i++) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, call->handlers[i]);
    lua_pushvalue(L, 2);
    lua_call(L, 1, 0);
  }
  return 0;
}

void script_tell(const struct event *event, enum status status) {
  bool is_new = event->initial || (event->changed & 1u << STATUS);
  for (int i = 0; i < hook_count; i++) {
    int handlers[2];
    struct call call = {event, handlers, 0};
    int status_handler = hooks[i].status_handlers[status];
    if (is_new && status_handler != LUA_NOREF) handlers[call.count++] = status_handler;
    if (event->changed && hooks[i].change_handler != LUA_NOREF) {
      handlers[call.count++] = hooks[i].change_handler;
    }
    if (call.count == 0) continue;
    lua_pushcfunction(interpreter, call_handlers);
    lua_pushlightuserdata(interpreter, &call);
    said_why(lua_pcall(interpreter, 1, 0, 0));
  }
}

int64_t script_count(void) {
  lua_Integer count = 0;
  bool is_function = lua_getglobal(interpreter, "count") == LUA_TFUNCTION;
  if (is_function && lua_pcall(interpreter, 0, 1, 0) == LUA_OK) {
    count = lua_tointeger(interpreter, -1);
  }
  lua_settop(interpreter, 0);
  return count;
}
