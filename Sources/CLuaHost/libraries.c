// What a script can name: an allow-list, copied name by name into fresh tables.
#include "host.h"

static const char *const base_names[] = {
    "assert",   "error",  "getmetatable", "ipairs", "next",     "pairs", "rawequal", "rawget",
    "rawlen",   "rawset", "select",       "tonumber", "tostring", "type",  "_VERSION", NULL};

static const char *const string_names[] = {
    "byte", "char",  "find", "format",   "gmatch", "gsub",    "len", "lower", "match",
    "pack", "packsize", "rep", "reverse", "sub",   "unpack", "upper", NULL};

static const char *const table_names[] = {"concat", "insert", "move",   "pack",
                                          "remove", "sort",   "unpack", NULL};

static const char *const math_names[] = {
    "abs",  "acos",       "asin",    "atan", "ceil",       "cos",  "deg",       "exp",  "floor",
    "fmod", "huge",       "log",     "max",  "maxinteger", "min",  "mininteger", "modf", "pi",
    "rad",  "random",     "randomseed", "sin", "sqrt",     "tan",  "tointeger", "type", "ult",
    NULL};

static const char *const utf8_names[] = {"char", "charpattern", "codepoint", "codes",
                                         "len",  "offset",      NULL};

static const char *const os_names[] = {"clock", "date", "difftime", "getenv", "time", NULL};

static const struct {
  const char *name;
  lua_CFunction open;
  const char *const *names;
} libraries[] = {
    {"string", luaopen_string, string_names}, {"table", luaopen_table, table_names},
    {"math", luaopen_math, math_names},       {"utf8", luaopen_utf8, utf8_names},
    {"os", luaopen_os, os_names},
};

/// Copies the named fields of the table on top into the table below it, and pops the former.
static void copy_names(lua_State *L, const char *const *names) {
  for (size_t i = 0; names[i]; i++) {
    lua_getfield(L, -1, names[i]);
    lua_setfield(L, -3, names[i]);
  }
  lua_pop(L, 1);
}

static void set_function(lua_State *L, const char *name, lua_CFunction function) {
  lua_pushcfunction(L, function);
  lua_setfield(L, -2, name);
}

/// os.date (upvalue 1) with a format of bounded length.
static int os_date(lua_State *L) {
  size_t length;
  luaL_optlstring(L, 1, "", &length);
  luaL_argcheck(L, length <= 4096, 1, "format too long");
  const lh_host *host = lh_host_of(L);
  if (host->has_time && lua_isnoneornil(L, 2)) {
    if (lua_isnoneornil(L, 1)) {
      lua_settop(L, 0);
      lua_pushliteral(L, "%c");
    }
    lua_settop(L, 1);
    lua_pushinteger(L, host->time);
  }
  int count = lua_gettop(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, count, 1);
  return 1;
}

/// os.time (upvalue 1) of the clock by which the script lives.
static int os_time(lua_State *L) {
  const lh_host *host = lh_host_of(L);
  if (host->has_time && lua_isnoneornil(L, 1)) {
    lua_pushinteger(L, host->time);
    return 1;
  }
  int count = lua_gettop(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, count, 1);
  return 1;
}

/// The table of `os` is on top.
static void replace_clock_functions(lua_State *L) {
  lua_getfield(L, -1, "date");
  lua_pushcclosure(L, os_date, 1);
  lua_setfield(L, -2, "date");
  lua_getfield(L, -1, "time");
  lua_pushcclosure(L, os_time, 1);
  lua_setfield(L, -2, "time");
}

void lh_set_time(lh_host *host, int64_t seconds) {
  host->time = seconds;
  host->has_time = true;
}

/// Strings share a metatable: it gets the listed functions, and scripts do not get the metatable.
static void protect_strings(lua_State *L) {
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  lua_getfield(L, -3, "string");
  lua_setfield(L, -2, "__index");
  lua_pushboolean(L, false);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 2);
}

/// Sets LUA_LOADED_TABLE, in which Lua's tracebacks and messages look for the names of functions;
/// scripts do not see it. The globals are on top of the stack, and stay there.
static void set_loaded_table(lua_State *L) {
  lua_newtable(L);
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, LUA_GNAME);
  for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
    lua_getfield(L, -2, libraries[i].name);
    lua_setfield(L, -2, libraries[i].name);
  }
  lua_setfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
}

/// Leaves the new table of globals in the registry, and on the stack.
void lh_open_libraries(lua_State *L) {
  lua_newtable(L);
  lua_pushcfunction(L, luaopen_base);
  lua_call(L, 0, 1);
  copy_names(L, base_names);
  set_function(L, "pcall", lh_pcall);
  set_function(L, "xpcall", lh_xpcall);
  set_function(L, "setmetatable", lh_setmetatable);
  for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
    lua_newtable(L);
    lua_pushcfunction(L, libraries[i].open);
    lua_call(L, 0, 1);
    copy_names(L, libraries[i].names);
    lua_setfield(L, -2, libraries[i].name);
  }
  lua_getfield(L, -1, "string");
  lh_replace_string_functions(L);
  lua_pop(L, 1);
  lua_getfield(L, -1, "table");
  lh_replace_table_functions(L);
  lua_pop(L, 1);
  lua_getfield(L, -1, "os");
  replace_clock_functions(L);
  lua_pop(L, 1);
  protect_strings(L);
  set_loaded_table(L);
  lua_pushvalue(L, -1);
  lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}
