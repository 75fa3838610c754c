// Objects: a class and a number, behind a read-only userdata. Fields are asked of Swift.
#include "host.h"

#include <stdlib.h>

static const lh_object *object_at(lua_State *L, int index) {
  return lua_touserdata(L, index);
}

static lh_status ask(lua_State *L, const lh_object *object, lh_text key) {
  lh_host *host = lh_host_of(L);
  lh_buffer_clear(&host->reply);
  host->in_callback = true;
  lh_status status = host->callbacks.field(
      host->callbacks.context, object->class_id, object->number, key, &host->reply);
  host->in_callback = false;
  return status;
}

/// `__index`; upvalue 1 holds the methods.
static int object_index(lua_State *L) {
  const lh_object *object = object_at(L, 1);
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  if (lua_type(L, 2) != LUA_TSTRING) {
    const char *name = lh_host_of(L)->classes[object->class_id].name;
    return luaL_error(L, "%s is indexed by names, not by a %s", name, luaL_typename(L, 2));
  }
  lh_text key;
  key.text = lua_tolstring(L, 2, &key.length);
  if (ask(L, object, key) != LH_RETURN) return lh_raise_reply(L, &lh_host_of(L)->reply);
  return lh_push_all(L, &lh_host_of(L)->reply);
}

static int object_tostring(lua_State *L) {
  const lh_object *object = object_at(L, 1);
  if (ask(L, object, (lh_text){NULL, 0}) != LH_RETURN) return lh_raise_reply(L, &lh_host_of(L)->reply);
  return lh_push_all(L, &lh_host_of(L)->reply);
}

static int object_newindex(lua_State *L) {
  return luaL_error(L, "%s is read-only", lua_tostring(L, lua_upvalueindex(1)));
}

static int make_class(lua_State *L) {
  lh_class *class = lua_touserdata(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  class->methods = luaL_ref(L, LUA_REGISTRYINDEX);

  lua_createtable(L, 0, 5);
  lua_insert(L, -2);
  lua_pushcclosure(L, object_index, 1);
  lua_setfield(L, -2, "__index");
  lua_pushstring(L, class->name);
  lua_pushcclosure(L, object_newindex, 1);
  lua_setfield(L, -2, "__newindex");
  lua_pushcfunction(L, object_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_pushstring(L, class->name);
  lua_setfield(L, -2, "__name");
  lua_pushboolean(L, false);
  lua_setfield(L, -2, "__metatable");
  class->metatable = luaL_ref(L, LUA_REGISTRYINDEX);

  // An object that a script still holds is found again, so that equal objects are identical.
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  class->objects = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

int32_t lh_define_class(lh_host *host, const char *name) {
  lh_class *classes = realloc(host->classes, (host->class_count + 1) * sizeof *classes);
  if (!classes) return -1;
  host->classes = classes;
  lh_class *class = &classes[host->class_count];
  *class = (lh_class){.name = strdup(name)};
  if (!class->name) return -1;
  host->class_count++;
  if (!lh_protect(host, make_class, class)) return -1;
  return (int32_t)host->class_count - 1;
}

void lh_push_object(lua_State *L, int32_t class_id, int64_t number) {
  lh_host *host = lh_host_of(L);
  if (class_id < 0 || (size_t)class_id >= host->class_count) luaL_error(L, "unknown class");
  const lh_class *class = &host->classes[class_id];
  lua_rawgeti(L, LUA_REGISTRYINDEX, class->objects);
  if (lua_rawgeti(L, -1, number) == LUA_TNIL) {
    lua_pop(L, 1);
    lh_object *object = lua_newuserdatauv(L, sizeof *object, 0);
    object->class_id = class_id;
    object->number = number;
    lua_rawgeti(L, LUA_REGISTRYINDEX, class->metatable);
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, number);
  }
  lua_remove(L, -2);
}

// MARK: What a script still holds

static int collect(lua_State *L) {
  lua_gc(L, LUA_GCCOLLECT);
  return 0;
}

bool lh_collect(lh_host *host) {
  return !host->dead && !host->busy && lh_protect(host, collect, NULL);
}

typedef struct lookup {
  const lh_class *class;
  int64_t number;
  bool is_lost;
} lookup;

/// The table of objects is weak: what it has is held elsewhere, or has not been collected yet.
static int look_up(lua_State *L) {
  lookup *wanted = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, wanted->class->objects);
  wanted->is_lost = lua_rawgeti(L, -1, wanted->number) == LUA_TNIL;
  return 0;
}

bool lh_has_lost(lh_host *host, int32_t class_id, int64_t number) {
  if (host->dead || host->busy || class_id < 0 || (size_t)class_id >= host->class_count) {
    return false;
  }
  lookup wanted = {.class = &host->classes[class_id], .number = number};
  return lh_protect(host, look_up, &wanted) && wanted.is_lost;
}
