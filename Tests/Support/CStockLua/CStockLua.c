#include "CStockLua.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>

static void write_text(lua_State *L, FILE *output, int index) {
  size_t length;
  const char *text = luaL_tolstring(L, index, &length);
  fwrite(text, 1, length, output);
  lua_pop(L, 1);
}

static int print(lua_State *L) {
  FILE *output = lua_touserdata(L, lua_upvalueindex(1));
  int count = lua_gettop(L);
  for (int i = 1; i <= count; i++) {
    if (i > 1) fputc('\t', output);
    write_text(L, output, i);
  }
  fputc('\n', output);
  return 0;
}

char *stock_lua_run(const char *text, size_t length, const char *name, size_t *output_length) {
  char *result = NULL;
  FILE *output = open_memstream(&result, output_length);
  lua_State *L = luaL_newstate();
  if (output && L) {
    luaL_openlibs(L);
    lua_pushlightuserdata(L, output);
    lua_pushcclosure(L, print, 1);
    lua_setglobal(L, "print");
    if (luaL_loadbuffer(L, text, length, name) || lua_pcall(L, 0, 0, 0)) {
      write_text(L, output, -1);
      fputc('\n', output);
    }
  }
  if (L) lua_close(L);
  if (output) fclose(output);
  return result;
}
