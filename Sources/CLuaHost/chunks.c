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

/// Strikes the chunk that is being left off the list of those that run, however it ended.
static int leave_chunk(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, lh_host_of(L)->running_chunks);
  lua_pushnil(L);
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2));
  return 0;
}

void lh_push_running_chunks(lua_State *L) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, leave_chunk);
  lua_setfield(L, -2, "__close");
  lua_setmetatable(L, -2);
}

/// Raises an error that names the chunks from number `first` of those that run, and again that one.
static int refuse_circle(lua_State *L, int list, lua_Integer first) {
  luaL_Buffer chain;
  luaL_buffinit(L, &chain);
  for (lua_Integer i = first; i <= (lua_Integer)lua_rawlen(L, list); i++) {
    lua_rawgeti(L, list, i);
    luaL_addvalue(&chain);
    luaL_addstring(&chain, " → ");
  }
  lua_rawgeti(L, list, first);
  luaL_addvalue(&chain);
  luaL_pushresult(&chain);
  return luaL_error(L, "require goes in a circle: %s", lua_tostring(L, -1));
}

/// Takes note that a chunk runs until the function that calls this returns; leaves the list of all
/// that do on the stack.
static void enter_chunk(lua_State *L, const char *name) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, lh_host_of(L)->running_chunks);
  int list = lua_gettop(L);
  lua_pushstring(L, name[0] == '@' ? name + 1 : name);
  lua_Integer count = (lua_Integer)lua_rawlen(L, list);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, list, i);
    if (lua_rawequal(L, -1, -2)) refuse_circle(L, list, i);
    lua_pop(L, 1);
  }
  lua_rawseti(L, list, count + 1);
  lua_toclose(L, list);
}

/// Pushes what the chunk whose name is at the index returned; false where none has.
static bool push_kept(lua_State *L, int name_index) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, lh_host_of(L)->chunks);
  lua_pushvalue(L, name_index);
  if (lua_rawget(L, -2) != LUA_TNIL) return true;
  lua_pop(L, 2);
  return false;
}

int lh_run_chunk_of_reply(lua_State *L) {
  lh_host *host = lh_host_of(L);
  lh_text text = text_at(&host->reply, 0);
  lh_text name = text_at(&host->reply, 1);
  if (!text.text || !name.text) return luaL_error(L, "not enough memory for the text");
  if (text.length > host->limits.string_length) return luaL_error(L, "the text is too long");
  const char *chunk_name = lua_pushlstring(L, name.text, name.length);
  int name_index = lua_gettop(L);
  if (push_kept(L, name_index)) return 1;
  enter_chunk(L, chunk_name);
  lh_text script = lh_script_of(text);
  if (luaL_loadbufferx(L, script.text, script.length, chunk_name, "t") != LUA_OK) {
    return lua_error(L);
  }
  lua_callk(L, 0, 1, name_index, after_chunk);
  return after_chunk(L, LUA_OK, name_index);
}

int lh_recall_chunk_of_reply(lua_State *L) {
  const lh_buffer *reply = &lh_host_of(L)->reply;
  lh_text message = text_at(reply, 0);
  lh_text name = text_at(reply, 1);
  if (!message.text || !name.text) return luaL_error(L, "not enough memory for the name");
  lua_pushlstring(L, name.text, name.length);
  if (push_kept(L, lua_gettop(L))) return 1;
  luaL_where(L, 1);
  lua_pushlstring(L, message.text, message.length);
  lua_concat(L, 2);
  return lua_error(L);
}
