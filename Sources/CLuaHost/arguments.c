// Lua values to a stream. Strings are not copied: they live as long as the arguments on the stack.
#include "host.h"

#include <stdlib.h>

enum {
  DEPTH_LIMIT = 16,
  NODE_LIMIT = 20000,
  BYTE_LIMIT = 8 << 20,
};

static const char out_of_memory[] = "not enough memory";
static const char too_large[] = "table too large (more than 20000 values)";
static const char too_long[] = "strings too long (more than 8 MiB together)";
static const char too_deep[] = "table too deep (more than 16 levels)";

static const char *take(lua_State *L, int index, uint32_t flags, int depth);

static const char *append(lh_host *host, lh_value value) {
  if (host->argument_count >= NODE_LIMIT) return too_large;
  if (host->argument_count == host->argument_capacity) {
    size_t capacity = host->argument_capacity ? host->argument_capacity * 2 : 16;
    lh_value *arguments = realloc(host->arguments, capacity * sizeof *arguments);
    if (!arguments) return out_of_memory;
    host->arguments = arguments;
    host->argument_capacity = capacity;
  }
  host->arguments[host->argument_count++] = value;
  return NULL;
}

/// Swift copies each string, also one that a table holds a thousand times: the sum is limited.
static const char *take_text(lh_host *host, lh_kind kind, const char *text, size_t length) {
  host->argument_bytes += length;
  if (host->argument_bytes > BYTE_LIMIT) return too_long;
  return append(host, (lh_value){.kind = kind, .count = (uint32_t)length, .text = text});
}

static const char *take_string(lua_State *L, int index) {
  size_t length;
  const char *text = lua_tolstring(L, index, &length);
  return take_text(lh_host_of(L), LH_STRING, text, length);
}

static const char *take_unsupported(lua_State *L, int index) {
  const char *name = luaL_typename(L, index);
  return take_text(lh_host_of(L), LH_UNSUPPORTED, name, strlen(name));
}

static bool is_item_key(lua_State *L, int index, lua_Unsigned items) {
  if (!lua_isinteger(L, index)) return false;
  lua_Unsigned key = (lua_Unsigned)lua_tointeger(L, index);
  return key >= 1 && key <= items;
}

static const char *take_table(lua_State *L, int index, uint32_t flags, int depth) {
  lh_host *host = lh_host_of(L);
  if (depth >= DEPTH_LIMIT) return too_deep;
  if (!lua_checkstack(L, 8)) return out_of_memory;
  lua_Unsigned items = lua_rawlen(L, index);
  if (items > NODE_LIMIT) return too_large;
  size_t header = host->argument_count;
  const char *error = append(host, (lh_value){.kind = LH_TABLE, .count = (uint32_t)items});
  for (lua_Unsigned i = 1; i <= items && !error; i++) {
    lua_rawgeti(L, index, (lua_Integer)i);
    error = take(L, lua_gettop(L), flags, depth + 1);
    lua_pop(L, 1);
  }
  size_t pairs = 0;
  if (!error) lua_pushnil(L);
  while (!error && lua_next(L, index)) {
    int value = lua_gettop(L);
    if (!is_item_key(L, value - 1, items)) {
      // A table or function as a key is named by its type only.
      error = lua_type(L, value - 1) > LUA_TSTRING ? take_unsupported(L, value - 1)
                                                   : take(L, value - 1, 0, depth + 1);
      if (!error) error = take(L, value, flags, depth + 1);
      pairs++;
    }
    lua_settop(L, value - 1);
  }
  host->arguments[header].pairs = pairs;
  return error;
}

// MARK: Functions

static bool grow_uses(lh_host *host, size_t index) {
  if (index < host->uses_count) return true;
  size_t count = index + 32;
  uint32_t *uses = realloc(host->uses, count * sizeof *uses);
  if (!uses) return false;
  memset(uses + host->uses_count, 0, (count - host->uses_count) * sizeof *uses);
  host->uses = uses;
  host->uses_count = count;
  return true;
}

static uint32_t line_of(lua_State *L, int index) {
  lua_Debug definition;
  lua_pushvalue(L, index);
  lua_getinfo(L, ">S", &definition);
  return definition.linedefined > 0 ? (uint32_t)definition.linedefined : 0;
}

/// The same function has the same reference as long as it is in use.
static const char *take_function(lua_State *L, int index) {
  lh_host *host = lh_host_of(L);
  if (!lua_checkstack(L, 4)) return out_of_memory;
  lua_rawgeti(L, LUA_REGISTRYINDEX, host->references);
  lua_pushvalue(L, index);
  lua_rawget(L, -2);
  int reference = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  if (reference == 0) {
    lua_pushvalue(L, index);
    reference = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushvalue(L, index);
    lua_pushinteger(L, reference);
    lua_rawset(L, -3);
  }
  lua_pop(L, 1);
  if (!grow_uses(host, (size_t)reference)) return out_of_memory;
  lh_value value = {.kind = LH_FUNCTION, .count = line_of(L, index), .integer = reference};
  const char *error = append(host, value);
  if (!error) host->uses[reference]++;
  return error;
}

// Raises nothing: both keys exist, so nothing is allocated.
void lh_release(lh_host *host, int32_t reference) {
  if (host->dead || reference <= 0 || (size_t)reference >= host->uses_count) return;
  if (host->uses[reference] == 0) return;
  host->uses[reference]--;
  if (host->uses[reference] > 0) return;
  lua_State *L = host->main;
  lua_rawgeti(L, LUA_REGISTRYINDEX, host->references);
  lua_rawgeti(L, LUA_REGISTRYINDEX, reference);
  lua_pushnil(L);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  luaL_unref(L, LUA_REGISTRYINDEX, reference);
}

/// Gives back the functions among arguments that never reached a callback.
void lh_forget_functions(lh_host *host) {
  for (size_t i = 0; i < host->argument_count; i++) {
    if (host->arguments[i].kind != LH_FUNCTION) continue;
    lh_release(host, (int32_t)host->arguments[i].integer);
  }
}

// MARK: Any value

static const char *take(lua_State *L, int index, uint32_t flags, int depth) {
  lh_host *host = lh_host_of(L);
  switch (lua_type(L, index)) {
    case LUA_TNIL:
      return append(host, (lh_value){.kind = LH_NIL});
    case LUA_TBOOLEAN:
      return append(host, (lh_value){.kind = LH_BOOLEAN, .boolean = lua_toboolean(L, index)});
    case LUA_TNUMBER:
      if (lua_isinteger(L, index)) {
        return append(host, (lh_value){.kind = LH_INTEGER, .integer = lua_tointeger(L, index)});
      }
      return append(host, (lh_value){.kind = LH_NUMBER, .number = lua_tonumber(L, index)});
    case LUA_TSTRING:
      return take_string(L, index);
    case LUA_TTABLE:
      return take_table(L, index, flags, depth);
    case LUA_TUSERDATA: {
      const lh_object *object = lua_touserdata(L, index);
      return append(
          host, (lh_value){.kind = LH_OBJECT,
                           .count = (uint32_t)object->class_id,
                           .integer = object->number});
    }
    case LUA_TFUNCTION:
      if (flags & LH_FUNCTION_KEEPS) return take_function(L, index);
      return take_unsupported(L, index);
    default:
      return take_unsupported(L, index);
  }
}

const char *lh_take(lua_State *L, int index, uint32_t flags) {
  return take(L, index, flags, 0);
}
