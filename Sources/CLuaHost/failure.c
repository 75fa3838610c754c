// Messages and tracebacks, taken out of Lua while the stack of the error still stands.
#include "host.h"

#include <stdlib.h>

enum { MESSAGE_LIMIT = 64 * 1024 };

void lh_keep_message(lh_message *message, const char *text, size_t length) {
  if (length > MESSAGE_LIMIT) length = MESSAGE_LIMIT;
  free(message->text);
  message->length = 0;
  message->text = malloc(length + 1);
  if (!message->text) return;
  memcpy(message->text, text, length);
  message->text[length] = 0;
  message->length = length;
}

static int describe(lua_State *L) {
  luaL_tolstring(L, 1, NULL);
  return 1;
}

/// Pushes a text for the error object at 1, which may be anything.
static void push_text(lua_State *L) {
  if (lua_isstring(L, 1)) {
    lua_pushvalue(L, 1);
    return;
  }
  if (luaL_getmetafield(L, 1, "__tostring") != LUA_TNIL) {
    lua_pop(L, 1);
    lua_pushcfunction(L, describe);
    lua_pushvalue(L, 1);
    if (lua_pcall(L, 1, 1, 0) == LUA_OK) return;
  }
  lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
}

/// Keeps the traceback from `level` of the stack on; raises for a lack of memory.
void lh_keep_traceback(lua_State *L, int level) {
  size_t length;
  luaL_traceback(L, L, NULL, level);
  const char *text = lua_tolstring(L, -1, &length);
  lh_keep_message(&lh_host_of(L)->traceback, text, length);
  lua_pop(L, 1);
}

/// The message handler under every run: keeps message and traceback. For a cancelled run the
/// message is known, and the wait kept the traceback.
int lh_describe_error(lua_State *L) {
  lh_host *host = lh_host_of(L);
  if (host->kill || host->running->cancelled) return 1;
  push_text(L);
  if (host->kill) return 1;
  size_t length;
  const char *text = lua_tolstring(L, -1, &length);
  lh_keep_message(&host->failure, text, length);
  lh_keep_traceback(L, 1);
  lua_settop(L, 1);
  return 1;
}

/// For errors that no message handler saw, such as a lack of memory. Allocates nothing in Lua.
void lh_keep_error(lh_host *host, lua_State *thread) {
  if (host->failure.length > 0) return;
  if (lua_gettop(thread) > 0 && lua_type(thread, -1) == LUA_TSTRING) {
    size_t length;
    const char *text = lua_tolstring(thread, -1, &length);
    lh_keep_message(&host->failure, text, length);
  } else {
    static const char unknown[] = "unknown error";
    lh_keep_message(&host->failure, unknown, sizeof unknown - 1);
  }
}
