// A stream of values to Lua. Everything here may raise, and runs inside a resume or a pcall.
#include "host.h"

typedef struct reader {
  const lh_buffer *buffer;
  const lh_value *next;
  const lh_value *end;
} reader;

static void push_value(lua_State *L, reader *source, int depth);
static void push_other(lua_State *L, reader *source, const lh_value *value, int depth);

static inline const lh_value *next_value(lua_State *L, reader *source) {
  if (source->next == source->end) luaL_error(L, "incomplete value");
  return source->next++;
}

/// Pushes the kinds that make up most of an event; inlined into the loops.
static inline bool push_scalar(lua_State *L, const char *bytes, const lh_value *value) {
  switch (value->kind) {
    case LH_STRING:
      lua_pushlstring(L, bytes + value->offset, value->count);
      return true;
    case LH_BOOLEAN:
      lua_pushboolean(L, value->boolean);
      return true;
    case LH_INTEGER:
      lua_pushinteger(L, value->integer);
      return true;
    case LH_NUMBER:
      lua_pushnumber(L, value->number);
      return true;
    default:
      return false;
  }
}

static void push_table(lua_State *L, reader *source, const lh_value *header, int depth) {
  uint32_t items = header->count;
  size_t pairs = header->pairs;
  lua_createtable(L, (int)items, (int)pairs);
  for (uint32_t i = 1; i <= items; i++) {
    push_value(L, source, depth + 1);
    lua_rawseti(L, -2, i);
  }
  for (size_t i = 0; i < pairs; i++) {
    push_value(L, source, depth + 1);
    push_value(L, source, depth + 1);
    lua_rawset(L, -3);
  }
}

/// The hot path: a table of known size, its keys taken from an array of interned strings.
static void push_record(lua_State *L, reader *source, const lh_value *header, int depth) {
  lh_host *host = lh_host_of(L);
  if (header->count >= host->shape_count) luaL_error(L, "unknown shape of record");
  const lh_shape *shape = &host->shapes[header->count];
  lua_createtable(L, 0, (int)shape->count);
  lua_rawgeti(L, LUA_REGISTRYINDEX, shape->keys);
  int table = lua_gettop(L) - 1;
  lua_Integer count = (lua_Integer)shape->count;
  const char *bytes = source->buffer->bytes;
  const lh_value *next = source->next;
  for (lua_Integer i = 1; i <= count; i++) {
    if (next == source->end) luaL_error(L, "incomplete value");
    const lh_value *value = next++;
    if (value->kind == LH_NIL) continue;
    lua_rawgeti(L, table + 1, i);
    if (!push_scalar(L, bytes, value)) {
      source->next = next;
      push_other(L, source, value, depth + 1);
      next = source->next;
    }
    lua_rawset(L, table);
  }
  source->next = next;
  lua_settop(L, table);
  lua_rawgeti(L, LUA_REGISTRYINDEX, shape->metatable);
  lua_setmetatable(L, table);
}

static void push_function(lua_State *L, const lh_value *value) {
  const lh_host *host = lh_host_of(L);
  size_t reference = (size_t)value->integer;
  if (reference >= host->uses_count || host->uses[reference] == 0) {
    luaL_error(L, "released function");
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, value->integer);
}

static void push_other(lua_State *L, reader *source, const lh_value *value, int depth) {
  if (depth > 32) luaL_error(L, "value too deep");
  luaL_checkstack(L, 8, "value too deep");
  switch (value->kind) {
    case LH_TABLE:
      push_table(L, source, value, depth);
      return;
    case LH_RECORD:
      push_record(L, source, value, depth);
      return;
    case LH_FUNCTION:
      push_function(L, value);
      return;
    case LH_OBJECT:
      lh_push_object(L, (int32_t)value->count, value->integer);
      return;
    default:
      lua_pushnil(L);
      return;
  }
}

static void push_value(lua_State *L, reader *source, int depth) {
  const lh_value *value = next_value(L, source);
  if (!push_scalar(L, source->buffer->bytes, value)) push_other(L, source, value, depth);
}

int lh_push_all(lua_State *L, const lh_buffer *buffer) {
  if (!buffer || (buffer->count == 0 && !buffer->failed)) return 0;
  if (buffer->failed) luaL_error(L, "not enough memory for the values");
  reader source = {
      .buffer = buffer, .next = buffer->values, .end = buffer->values + buffer->count};
  int count = 0;
  while (source.next < source.end) {
    luaL_checkstack(L, 8, "too many values");
    push_value(L, &source, 0);
    count++;
  }
  return count;
}
