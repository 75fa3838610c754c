// Texts of Lua: the script itself, and further ones that a function such as `require` asks for.
#include "host.h"

/// Without a byte order mark, and without the text of a first line that begins with `#`.
lh_text lh_script_of(lh_text text) {
  if (text.length >= 3 && memcmp(text.text, "\xEF\xBB\xBF", 3) == 0) {
    text.text += 3;
    text.length -= 3;
  }
  if (text.length > 0 && text.text[0] == '#') {
    const char *end = memchr(text.text, '\n', text.length);
    size_t skipped = end ? (size_t)(end - text.text) : text.length;
    text.text += skipped;
    text.length -= skipped;
  }
  return text;
}

static lh_text text_at(const lh_buffer *buffer, size_t index) {
  if (buffer->failed || index >= buffer->count || buffer->values[index].kind != LH_STRING) {
    return (lh_text){.text = NULL, .length = 0};
  }
  const lh_value *value = &buffer->values[index];
  return (lh_text){.text = buffer->bytes + value->offset, .length = value->count};
}

/// Keeps what a chunk returned, or true for nothing. Stack: the name at `context`, the result on
/// top.
static int after_chunk(lua_State *L, int status, lua_KContext context) {
  (void)status;
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushboolean(L, true);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, lh_host_of(L)->chunks);
  lua_pushvalue(L, (int)context);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  return 1;
}

int lh_run_chunk_of_reply(lua_State *L) {
  lh_host *host = lh_host_of(L);
  lh_text text = text_at(&host->reply, 0);
  lh_text name = text_at(&host->reply, 1);
  if (!text.text || !name.text) return luaL_error(L, "not enough memory for the text");
  if (text.length > host->limits.string_length) return luaL_error(L, "the text is too long");
  const char *chunk_name = lua_pushlstring(L, name.text, name.length);
  int name_index = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, host->chunks);
  lua_pushvalue(L, name_index);
  if (lua_rawget(L, -2) != LUA_TNIL) return 1;
  lua_pop(L, 2);
  lh_text script = lh_script_of(text);
  if (luaL_loadbufferx(L, script.text, script.length, chunk_name, "t") != LUA_OK) {
    return lua_error(L);
  }
  lua_callk(L, 0, 1, name_index, after_chunk);
  return after_chunk(L, LUA_OK, name_index);
}
