// Table functions that cannot run on: raw access only, true lengths, and long loops look for a
// kill. Metamethods (__index, __newindex, __len) of the tables are not consulted.
#include "host.h"

enum {
  /// `unpack` puts this many values on the stack at most.
  UNPACK_LIMIT = 100000,
  /// A loop looks for a kill after so many steps.
  CHECK_INTERVAL = 1024,
};

static void check_step(lua_State *L, lua_Integer step) {
  if (step % CHECK_INTERVAL == 0) lh_check_kill(L);
}

static lua_Integer length_of(lua_State *L, int index) {
  luaL_checktype(L, index, LUA_TTABLE);
  return (lua_Integer)lua_rawlen(L, index);
}

static int table_insert(lua_State *L) {
  lua_Integer end = length_of(L, 1) + 1;
  lua_Integer position = end;
  int count = lua_gettop(L);
  if (count == 3) {
    position = luaL_checkinteger(L, 2);
    luaL_argcheck(L, position >= 1 && position <= end, 2, "position out of bounds");
  } else if (count != 2) {
    return luaL_error(L, "wrong number of arguments to 'insert'");
  }
  for (lua_Integer i = end; i > position; i--) {
    check_step(L, i);
    lua_rawgeti(L, 1, i - 1);
    lua_rawseti(L, 1, i);
  }
  lua_rawseti(L, 1, position);
  return 0;
}

static int table_remove(lua_State *L) {
  lua_Integer length = length_of(L, 1);
  lua_Integer position = luaL_optinteger(L, 2, length);
  if (lua_gettop(L) > 1) {
    bool inside = position >= 1 && position <= length + 1;
    luaL_argcheck(L, inside || (length == 0 && position == 0), 2, "position out of bounds");
  }
  lua_rawgeti(L, 1, position);
  for (; position < length; position++) {
    check_step(L, position);
    lua_rawgeti(L, 1, position + 1);
    lua_rawseti(L, 1, position);
  }
  lua_pushnil(L);
  lua_rawseti(L, 1, position);
  return 1;
}

static int table_move(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer first = luaL_checkinteger(L, 2);
  lua_Integer last = luaL_checkinteger(L, 3);
  lua_Integer to = luaL_checkinteger(L, 4);
  int target = lua_isnoneornil(L, 5) ? 1 : 5;
  luaL_checktype(L, target, LUA_TTABLE);
  if (last >= first) {
    bool countable = first > 0 || last < LUA_MAXINTEGER + first;
    luaL_argcheck(L, countable, 3, "too many elements to move");
    lua_Integer count = last - first + 1;
    luaL_argcheck(L, to <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
    bool upwards = to > last || to <= first || target != 1;
    for (lua_Integer step = 0; step < count; step++) {
      lua_Integer i = upwards ? step : count - 1 - step;
      check_step(L, step);
      lua_rawgeti(L, 1, first + i);
      lua_rawseti(L, target, to + i);
    }
  }
  lua_pushvalue(L, target);
  return 1;
}

static int table_unpack(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer first = luaL_optinteger(L, 2, 1);
  lua_Integer last = lua_isnoneornil(L, 3) ? length_of(L, 1) : luaL_checkinteger(L, 3);
  if (first > last) return 0;
  lua_Unsigned count = (lua_Unsigned)last - (lua_Unsigned)first;
  if (count >= UNPACK_LIMIT || !lua_checkstack(L, (int)count + 1)) {
    return luaL_error(L, "too many results to unpack");
  }
  for (lua_Unsigned i = 0; i <= count; i++) {
    lua_rawgeti(L, 1, first + (lua_Integer)i);
  }
  return (int)count + 1;
}

static void add_element(lua_State *L, luaL_Buffer *buffer, lua_Integer i) {
  lua_rawgeti(L, 1, i);
  if (!lua_isstring(L, -1)) {
    luaL_error(
        L, "invalid value (at index %I) in table for 'concat'", (LUAI_UACINT)i);
  }
  luaL_addvalue(buffer);
}

static int table_concat(lua_State *L) {
  lua_Integer length = length_of(L, 1);
  size_t separator_length;
  const char *separator = luaL_optlstring(L, 2, "", &separator_length);
  lua_Integer first = luaL_optinteger(L, 3, 1);
  lua_Integer last = luaL_optinteger(L, 4, length);
  size_t limit = lh_host_of(L)->limits.string_length;
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (lua_Integer i = first; i <= last; i++) {
    check_step(L, i);
    add_element(L, &buffer, i);
    if (luaL_bufflen(&buffer) > limit) return lh_refuse_length(L);
    if (i == last) break;
    luaL_addlstring(&buffer, separator, separator_length);
  }
  luaL_pushresult(&buffer);
  return 1;
}

// MARK: sort

/// Whether the element at stack index `a` belongs before the one at `b`.
static bool is_before(lua_State *L, int a, int b) {
  lh_check_kill(L);
  a = lua_absindex(L, a);
  b = lua_absindex(L, b);
  if (lua_isnil(L, 2)) return lua_compare(L, a, b, LUA_OPLT);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, a);
  lua_pushvalue(L, b);
  lua_call(L, 2, 1);
  bool result = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return result;
}

/// Moves the element on top of the stack down from `root` until the heap of `count` holds again.
static void sift_down(lua_State *L, lua_Integer root, lua_Integer count) {
  while (root * 2 <= count) {
    lua_Integer child = root * 2;
    lua_rawgeti(L, 1, child);
    if (child < count) {
      lua_rawgeti(L, 1, child + 1);
      if (is_before(L, -2, -1)) {
        lua_replace(L, -2);
        child++;
      } else {
        lua_pop(L, 1);
      }
    }
    if (!is_before(L, -2, -1)) {
      lua_pop(L, 1);
      break;
    }
    lua_rawseti(L, 1, root);
    root = child;
  }
  lua_rawseti(L, 1, root);
}

/// A heap sort: n log n for any input and any comparison, however inconsistent.
static int table_sort(lua_State *L) {
  lua_Integer count = length_of(L, 1);
  if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  for (lua_Integer root = count / 2; root >= 1; root--) {
    lua_rawgeti(L, 1, root);
    sift_down(L, root, count);
  }
  for (lua_Integer end = count; end > 1; end--) {
    lua_rawgeti(L, 1, end);
    lua_rawgeti(L, 1, 1);
    lua_rawseti(L, 1, end);
    sift_down(L, 1, end - 1);
  }
  return 0;
}

static const luaL_Reg replacements[] = {
    {"concat", table_concat}, {"insert", table_insert}, {"move", table_move},
    {"remove", table_remove}, {"sort", table_sort},     {"unpack", table_unpack},
    {NULL, NULL},
};

/// Sets them in the table on top of the stack.
void lh_replace_table_functions(lua_State *L) {
  luaL_setfuncs(L, replacements, 0);
}
