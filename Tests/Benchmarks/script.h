// As much of the hook API as a script needs that runs in the host and in reach alike.
#ifndef SCRIPT_H
#define SCRIPT_H
#include "event.h"

// Makes the interpreter, with `reach.internet`, `reach.on`, `reach.now` and `print`.
bool script_open(void);

// Loads a script from a file, or from the text where there is one; false once it has said why not.
bool script_load(const char *path, const char *text);

// Calls the handlers that match an event of that status.
void script_tell(const struct event *event, enum status status);

// What the script's global function `count` returns; 0 without one.
int64_t script_count(void);
#endif
