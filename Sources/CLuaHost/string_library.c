// String functions that differ from the stock ones. The pattern functions are still stock.
#include "host.h"

/// Like string.rep, but the result is capped and an empty result costs nothing.
static int string_rep(lua_State *L) {
  size_t length;
  size_t separator_length;
  const char *text = luaL_checklstring(L, 1, &length);
  lua_Integer count = luaL_checkinteger(L, 2);
  const char *separator = luaL_optlstring(L, 3, "", &separator_length);
  if (count <= 0 || length + separator_length == 0) {
    lua_pushliteral(L, "");
    return 1;
  }
  size_t limit = lh_host_of(L)->limits.string_length;
  size_t piece = length + separator_length;
  if ((lua_Unsigned)count > limit / piece) {
    return luaL_error(L, "resulting string too large (more than %d bytes)", (int)limit);
  }
  luaL_Buffer buffer;
  size_t total = piece * (size_t)count;
  char *result = luaL_buffinitsize(L, &buffer, total);
  memcpy(result, text, length);
  memcpy(result + length, separator, separator_length);
  // What is there is doubled, however short the piece.
  for (size_t filled = piece; filled < total; filled *= 2) {
    size_t rest = total - filled;
    memcpy(result + filled, result, rest < filled ? rest : filled);
  }
  luaL_pushresultsize(&buffer, total - separator_length);
  return 1;
}

static const luaL_Reg replacements[] = {
    {"rep", string_rep},
    {NULL, NULL},
};

/// Sets them in the table on top of the stack.
void lh_replace_string_functions(lua_State *L) {
  luaL_setfuncs(L, replacements, 0);
}
