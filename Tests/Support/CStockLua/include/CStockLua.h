#ifndef CSTOCKLUA_H
#define CSTOCKLUA_H
// Lua as the system has it, to compare with; this header does not include lua.h.

#include <stddef.h>

/// Runs a text in an interpreter of its own with all of Lua's libraries, and returns what it
/// printed, then the message of the error that ended it; to be freed, NULL for a lack of memory.
char *stock_lua_run(const char *text, size_t length, const char *name, size_t *output_length);
#endif
