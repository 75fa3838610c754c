// Names as scripts see them: read-only proxies for dotted names, and tables that are strict about
// names they do not hold.
#include "host.h"

static int read_only(lua_State *L) {
  return luaL_error(L, "%s is read-only", lua_tostring(L, lua_upvalueindex(1)));
}

/// Raises the text that a callback replied.
int lh_raise_reply(lua_State *L, const lh_buffer *reply) {
  bool has_text = !reply->failed && reply->count > 0 && reply->values[0].kind == LH_STRING;
  luaL_where(L, 1);
  if (has_text) {
    lua_pushlstring(L, reply->bytes + reply->values[0].offset, reply->values[0].count);
  } else {
    lua_pushliteral(L, "the call failed");
  }
  lua_concat(L, 2);
  return lua_error(L);
}

/// Puts every string that is a key of the table into the arguments.
static void take_candidates(lua_State *L, int table) {
  lh_host *host = lh_host_of(L);
  lh_clear_arguments(host);
  lua_pushnil(L);
  while (lua_next(L, table)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING) continue;
    if (lh_take(L, -1, 0)) break;
  }
}

/// Raises what the host says of a key, whose text is on top, that is none. Upvalues of the function:
/// the owner's name, and a table that has each name as key.
static int raise_unknown(lua_State *L) {
  lh_host *host = lh_host_of(L);
  lh_text owner;
  lh_text key;
  owner.text = lua_tolstring(L, lua_upvalueindex(1), &owner.length);
  key.text = lua_tolstring(L, -1, &key.length);
  lua_pushvalue(L, lua_upvalueindex(2));
  take_candidates(L, lua_gettop(L));
  lh_buffer_clear(&host->reply);
  host->in_callback = true;
  host->callbacks.unknown_key(
      host->callbacks.context, owner, key, host->arguments, host->argument_count, &host->reply);
  host->in_callback = false;
  return lh_raise_reply(L, &host->reply);
}

/// `__index` of a strict table; upvalues as above.
static int strict_index(lua_State *L) {
  lh_check_kill(L);
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) {
    // The name is known and has no value: a key of a record.
    lua_pushnil(L);
    return 1;
  }
  lua_pushvalue(L, 2);
  if (lua_type(L, 2) != LUA_TSTRING && lua_type(L, 2) != LUA_TNUMBER) {
    lua_pushfstring(L, "(a %s)", luaL_typename(L, 2));
  }
  return raise_unknown(L);
}

/// `__call` of a namespace, which is no function; upvalues as above.
static int refuse_call(lua_State *L) {
  lh_check_kill(L);
  lua_settop(L, 0);
  lua_pushliteral(L, "()");
  return raise_unknown(L);
}

void lh_push_strict_index(lua_State *L, const char *owner) {
  lua_pushstring(L, owner);
  lua_insert(L, -2);
  lua_pushcclosure(L, strict_index, 2);
}

static void hide_metatable(lua_State *L) {
  lua_pushboolean(L, false);
  lua_setfield(L, -2, "__metatable");
}

/// The globals are on top of the stack, and stay there.
void lh_make_globals_strict(lua_State *L) {
  lua_createtable(L, 0, 2);
  lua_pushvalue(L, -2);
  lh_push_strict_index(L, "global");
  lua_setfield(L, -2, "__index");
  hide_metatable(L);
  lua_setmetatable(L, -2);
}

/// Makes the namespace `name`: pushes the proxy that scripts hold, then the table behind it.
static void push_new_namespace(lua_State *L, const char *name) {
  lua_newtable(L);
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, -2);
  lh_push_strict_index(L, name);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);

  lua_createtable(L, 0, 4);
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, "__index");
  lua_pushstring(L, name);
  lua_pushvalue(L, -3);
  lua_pushcclosure(L, refuse_call, 2);
  lua_setfield(L, -2, "__call");
  lua_pushstring(L, name);
  lua_pushcclosure(L, read_only, 1);
  lua_setfield(L, -2, "__newindex");
  hide_metatable(L);
  lua_setmetatable(L, -3);
}

/// Replaces the table on top, which holds the fields of the namespace before, by that of `path`.
static void enter_namespace(lua_State *L, const char *path, const char *last) {
  lh_host *host = lh_host_of(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, host->namespaces);
  if (lua_getfield(L, -1, path) == LUA_TNIL) {
    lua_pop(L, 1);
    push_new_namespace(L, path);
    // [fields before] [namespaces] [proxy] [fields]
    lua_pushvalue(L, -1);
    lua_setfield(L, -4, path);
    lua_pushstring(L, last);
    lua_pushvalue(L, -3);
    lua_rawset(L, -6);
    lua_remove(L, -2);
  }
  lua_replace(L, -3);
  lua_pop(L, 1);
}

const char *lh_push_owner(lua_State *L, const char *name) {
  lh_host *host = lh_host_of(L);
  const char *colon = strchr(name, ':');
  if (colon) {
    for (size_t i = 0; i < host->class_count; i++) {
      const lh_class *class = &host->classes[i];
      size_t length = (size_t)(colon - name);
      if (strlen(class->name) != length || memcmp(class->name, name, length) != 0) continue;
      lua_rawgeti(L, LUA_REGISTRYINDEX, class->methods);
      return colon + 1;
    }
    luaL_error(L, "no class for the method %s", name);
  }
  lua_pushglobaltable(L);
  const char *part = name;
  for (const char *dot = strchr(part, '.'); dot; dot = strchr(part, '.')) {
    const char *path = lua_pushlstring(L, name, (size_t)(dot - name));
    const char *last = lua_pushlstring(L, part, (size_t)(dot - part));
    lua_pushvalue(L, -3);
    enter_namespace(L, path, last);
    lua_replace(L, -4);
    lua_pop(L, 2);
    part = dot + 1;
  }
  return part;
}
