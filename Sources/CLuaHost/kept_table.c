// A table that scripts fill and the host reads between their turns, such as `reach.store`.
#include "host.h"

typedef struct kept_table {
  const char *name;
  const lh_buffer *value;
} kept_table;

static int keep_table(lua_State *L) {
  const kept_table *wanted = lua_touserdata(L, 1);
  lh_host *host = lh_host_of(L);
  const char *name = lh_push_owner(L, wanted->name);
  int owner = lua_gettop(L);
  lua_pushstring(L, name);
  if (lh_push_all(L, wanted->value) != 1 || !lua_istable(L, -1)) {
    return luaL_error(L, "not one table");
  }
  lua_pushvalue(L, -1);
  host->kept_table = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_rawset(L, owner);
  return 0;
}

bool lh_keep_table(lh_host *host, const char *name, const lh_buffer *value) {
  kept_table wanted = {.name = name, .value = value};
  return lh_protect(host, keep_table, &wanted);
}

// Raises nothing: tables are read raw, and strings are not copied.
const char *lh_read_table(lh_host *host, const lh_value **values, size_t *count) {
  *count = 0;
  lh_clear_arguments(host);
  if (host->dead || host->kept_table == 0) return NULL;
  lua_State *L = host->main;
  if (!lua_checkstack(L, 1)) return "not enough memory";
  lua_rawgeti(L, LUA_REGISTRYINDEX, host->kept_table);
  const char *error = lh_take(L, lua_gettop(L), 0);
  lua_pop(L, 1);
  if (error) return error;
  *values = host->arguments;
  *count = host->argument_count;
  return NULL;
}
