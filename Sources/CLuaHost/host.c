// Making and freeing an interpreter, and what is declared in it.
#include "host.h"

#include <stdlib.h>

bool lh_protect(lh_host *host, lua_CFunction body, void *argument) {
  lua_State *L = host->main;
  lua_pushcfunction(L, body);
  lua_pushlightuserdata(L, argument);
  bool done = lua_pcall(L, 1, 0, 0) == LUA_OK;
  lua_settop(L, 0);
  return done;
}

static int build(lua_State *L) {
  lh_host *host = lua_touserdata(L, 1);
  // Events are short-lived and what a script keeps is small: a cycle begins at three times what the
  // last one left, which makes a dispatch a tenth cheaper. The soft limit forces one anyhow.
  lua_gc(L, LUA_GCINC, 300, 0, 0);
  lh_open_libraries(L);
  lua_getfield(L, -1, "string");
  lua_getfield(L, -1, "format");
  host->format = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_pop(L, 1);
  lh_make_globals_strict(L);
  lua_newtable(L);
  host->references = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  host->namespaces = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_newtable(L);
  host->chunks = luaL_ref(L, LUA_REGISTRYINDEX);
  lh_push_running_chunks(L);
  host->running_chunks = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

lh_host *lh_new(lh_limits limits, lh_callbacks callbacks, const char *wait_refusal) {
  lh_host *host = calloc(1, sizeof *host);
  if (!host) return NULL;
  host->limits = limits;
  host->callbacks = callbacks;
  host->wait_refusal = strdup(wait_refusal);
  host->main = lua_newstate(lh_allocate, host);
  if (host->main) *(lh_host **)lua_getextraspace(host->main) = host;
  if (!host->wait_refusal || !host->main || !lh_protect(host, build, host)) {
    lh_free(host);
    return NULL;
  }
  return host;
}

/// A killed interpreter runs no Lua any more, not even to be closed: its blocks are freed.
static void close_state(lh_host *host) {
  if (host->main && !host->dead) lua_close(host->main);
  lh_free_blocks(host);
}

static void free_declarations(lh_host *host) {
  while (host->functions) {
    lh_function *next = host->functions->next;
    free(host->functions->name);
    free(host->functions);
    host->functions = next;
  }
  for (size_t i = 0; i < host->class_count; i++) free(host->classes[i].name);
  free(host->classes);
  for (size_t i = 0; i < host->shape_count; i++) free(host->shapes[i].name);
  free(host->shapes);
}

void lh_free(lh_host *host) {
  close_state(host);
  free_declarations(host);
  lh_free_coroutines(host);
  lh_buffer_free(&host->reply);
  free(host->uses);
  free(host->arguments);
  free(host->failure.text);
  free(host->traceback.text);
  free(host->cancel_message.text);
  free(host->wait_refusal);
  free(host);
}

// MARK: Functions and constants

static int set_function(lua_State *L) {
  lh_function *function = lua_touserdata(L, 1);
  const char *name = lh_push_owner(L, function->name);
  lua_pushstring(L, name);
  lh_push_function(L, function);
  lua_rawset(L, -3);
  return 0;
}

static int32_t class_of_method(const lh_host *host, const char *name) {
  const char *colon = strchr(name, ':');
  if (!colon) return -1;
  for (size_t i = 0; i < host->class_count; i++) {
    const char *class_name = host->classes[i].name;
    size_t length = strlen(class_name);
    if ((size_t)(colon - name) == length && memcmp(class_name, name, length) == 0) {
      return (int32_t)i;
    }
  }
  return -1;
}

bool lh_add_function(lh_host *host, int32_t number, const char *name, uint32_t flags) {
  lh_function *function = calloc(1, sizeof *function);
  if (!function) return false;
  function->next = host->functions;
  host->functions = function;
  function->host = host;
  function->number = number;
  function->class_id = class_of_method(host, name);
  function->flags = flags;
  function->name = strdup(name);
  return function->name && lh_protect(host, set_function, function);
}

typedef struct constant {
  const char *name;
  const lh_buffer *value;
} constant;

static int set_constant(lua_State *L) {
  const constant *wanted = lua_touserdata(L, 1);
  const char *name = lh_push_owner(L, wanted->name);
  int owner = lua_gettop(L);
  lua_pushstring(L, name);
  if (lh_push_all(L, wanted->value) != 1) return luaL_error(L, "not one value");
  lua_rawset(L, owner);
  return 0;
}

bool lh_set_constant(lh_host *host, const char *name, const lh_buffer *value) {
  constant wanted = {.name = name, .value = value};
  return lh_protect(host, set_constant, &wanted);
}
