// String functions that differ from Lua's own: none makes a longer string than the limit, and none
// runs on without looking for a kill. The pattern functions have files of their own.
#include "pattern.h"

#include <ctype.h>

int lh_refuse_length(lua_State *L) {
  size_t limit = lh_host_of(L)->limits.string_length;
  return luaL_error(L, "resulting string too large (more than %d bytes)", (int)limit);
}

// MARK: rep

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
  if ((lua_Unsigned)count > limit / piece) return lh_refuse_length(L);
  lh_check_kill(L);
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

// MARK: format

enum {
  /// Bytes of the longest number: `%99.99f` of the largest.
  NUMBER_LENGTH = 512,
  /// A quoted byte is `\ddd` at most.
  QUOTED_BYTE = 4,
};

/// Bytes of a string between quotes, as `%q` writes it.
static size_t quoted_length(lua_State *L, const char *text, size_t length) {
  size_t result = 2;
  for (size_t i = 0; i < length; i++) {
    if (i % LH_STEPS == 0) lh_check_kill(L);
    unsigned char c = (unsigned char)text[i];
    if (c == '"' || c == '\\' || c == '\n') {
      result += 2;
    } else if (iscntrl(c)) {
      bool digit_follows = i + 1 < length && isdigit((unsigned char)text[i + 1]);
      result += digit_follows || c >= 100 ? 4 : c >= 10 ? 3 : 2;
    } else {
      result++;
    }
  }
  return result;
}

typedef struct conversion {
  char letter;
  size_t width;
  size_t precision;
} conversion;

/// Reads what follows a `%`, and returns its end; a malformed one is left to Lua's own function.
static const char *read_conversion(const char *next, const char *end, conversion *conversion) {
  conversion->width = 0;
  conversion->precision = SIZE_MAX;
  size_t *number = &conversion->width;
  for (; next < end && (isdigit((unsigned char)*next) || memchr("-+ #.", *next, 5)); next++) {
    if (*next == '.') {
      number = &conversion->precision;
      *number = 0;
    } else if (isdigit((unsigned char)*next) && *number < NUMBER_LENGTH) {
      *number = *number * 10 + (size_t)(*next - '0');
    }
  }
  conversion->letter = next < end ? *next : 0;
  return next < end ? next + 1 : end;
}

/// The most bytes that a conversion makes of the argument at `index`. For `%s` the argument is
/// replaced by its text.
static size_t converted_length(lua_State *L, int index, const conversion *conversion) {
  size_t length;
  if (conversion->letter == 's') {
    luaL_tolstring(L, index, &length);
    lua_replace(L, index);
    if (length > conversion->precision) length = conversion->precision;
    return length > conversion->width ? length : conversion->width;
  }
  if (conversion->letter != 'q' || lua_type(L, index) != LUA_TSTRING) return NUMBER_LENGTH;
  const char *text = lua_tolstring(L, index, &length);
  return quoted_length(L, text, length);
}

/// The most bytes of the whole result.
static size_t formatted_length(lua_State *L) {
  size_t limit = lh_host_of(L)->limits.string_length;
  size_t length;
  const char *next = lua_tolstring(L, 1, &length);
  const char *end = next + length;
  size_t result = 0;
  int count = lua_gettop(L);
  for (int index = 2; next < end && result <= limit;) {
    const char *percent = memchr(next, '%', (size_t)(end - next));
    if (!percent) return result + (size_t)(end - next);
    result += (size_t)(percent - next);
    next = percent + 1;
    if (next < end && *next == '%') {
      next++;
      result++;
      continue;
    }
    if (index > count) return result;
    conversion conversion;
    next = read_conversion(next, end, &conversion);
    result += converted_length(L, index, &conversion);
    index++;
  }
  return result;
}

/// Whether the result is short in any case; nothing is converted to find out.
static bool is_surely_short(lua_State *L, size_t limit) {
  size_t length = 0;
  int count = lua_gettop(L);
  for (int i = 1; i <= count && length <= limit; i++) {
    switch (lua_type(L, i)) {
      case LUA_TTABLE:
      case LUA_TUSERDATA: return false;
      case LUA_TSTRING: length += lua_rawlen(L, i) * QUOTED_BYTE; break;
      default: break;
    }
    length += NUMBER_LENGTH;
  }
  return length <= limit;
}

static int string_format(lua_State *L) {
  lh_host *host = lh_host_of(L);
  lh_check_kill(L);
  luaL_checkstring(L, 1);
  size_t limit = host->limits.string_length;
  if (!is_surely_short(L, limit) && formatted_length(L) > limit) return lh_refuse_length(L);
  return host->stock_format(L);
}

// MARK: pack

/// The most bytes of the result: each option makes so many, and its padding as many again.
static size_t packed_length(lua_State *L) {
  enum { OPTION_LENGTH = 16 };
  size_t limit = lh_host_of(L)->limits.string_length;
  size_t result = 0;
  int index = 2;
  for (const char *next = lua_tostring(L, 1); *next && result <= limit; next++) {
    char option = *next;
    size_t size = 2 * OPTION_LENGTH;
    if (option == 'c') {
      size_t given = 0;
      while (isdigit((unsigned char)next[1]) && given <= limit) {
        given = given * 10 + (size_t)(*++next - '0');
      }
      size += given;
    } else if ((option == 's' || option == 'z') && lua_type(L, index) == LUA_TSTRING) {
      size += lua_rawlen(L, index);
    }
    result += size;
    if (isalpha((unsigned char)option) && !strchr("xX", option)) index++;
  }
  return result;
}

static int string_pack(lua_State *L) {
  lh_host *host = lh_host_of(L);
  luaL_checkstring(L, 1);
  if (packed_length(L) > host->limits.string_length) return lh_refuse_length(L);
  return host->stock_pack(L);
}

static const luaL_Reg replacements[] = {
    {"format", string_format},
    {"pack", string_pack},
    {"rep", string_rep},
    {NULL, NULL},
};

static lua_CFunction function_of(lua_State *L, const char *name) {
  lua_getfield(L, -1, name);
  lua_CFunction function = lua_tocfunction(L, -1);
  lua_pop(L, 1);
  return function;
}

/// Sets them in the table on top of the stack, which holds Lua's own.
void lh_replace_string_functions(lua_State *L) {
  lh_host *host = lh_host_of(L);
  host->stock_format = function_of(L, "format");
  host->stock_pack = function_of(L, "pack");
  luaL_setfuncs(L, replacements, 0);
  lh_set_pattern_functions(L);
}
