// Shapes: the keys of a record, interned once.
#include "host.h"

#include <stdlib.h>

typedef struct definition {
  lh_shape *shape;
  const lh_text *keys;
} definition;

static int make_shape(lua_State *L) {
  const definition *wanted = lua_touserdata(L, 1);
  lh_shape *shape = wanted->shape;
  lua_createtable(L, 0, 2);
  lua_createtable(L, (int)shape->count, 0);
  lua_createtable(L, 0, (int)shape->count);
  int keys = lua_gettop(L) - 1;
  for (size_t i = 0; i < shape->count; i++) {
    lua_pushlstring(L, wanted->keys[i].text, wanted->keys[i].length);
    lua_pushvalue(L, -1);
    lua_rawseti(L, keys, (lua_Integer)i + 1);
    lua_pushboolean(L, true);
    lua_rawset(L, keys + 1);
  }
  lh_push_strict_index(L, shape->name);
  lua_setfield(L, keys - 1, "__index");
  shape->keys = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_pushstring(L, shape->name);
  lua_setfield(L, -2, "__name");
  lua_pushboolean(L, false);
  lua_setfield(L, -2, "__metatable");
  shape->metatable = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

int32_t lh_define_shape(lh_host *host, const char *name, const lh_text *keys, size_t count) {
  lh_shape *shapes = realloc(host->shapes, (host->shape_count + 1) * sizeof *shapes);
  if (!shapes) return -1;
  host->shapes = shapes;
  lh_shape *shape = &shapes[host->shape_count];
  *shape = (lh_shape){.name = strdup(name), .count = count};
  if (!shape->name) return -1;
  host->shape_count++;
  definition wanted = {.shape = shape, .keys = keys};
  if (!lh_protect(host, make_shape, &wanted)) return -1;
  return (int32_t)host->shape_count - 1;
}
