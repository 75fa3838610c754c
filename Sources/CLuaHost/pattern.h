// What matches Lua's patterns, and what uses it; not public.
#ifndef LH_PATTERN_H
#define LH_PATTERN_H

#include "host.h"

enum {
  /// As in Lua's own library (LUA_MAXCAPTURES).
  LH_CAPTURE_LIMIT = 32,
  /// Steps between two looks for a kill: some ten microseconds.
  LH_STEPS = 4096,
};

typedef enum lh_capture_state : uint8_t {
  LH_CAPTURE_OPEN,
  LH_CAPTURE_CLOSED,
  /// `()`: a place, not a text.
  LH_CAPTURE_POSITION,
} lh_capture_state;

typedef struct lh_capture {
  const char *start;
  size_t length;
  lh_capture_state state;
} lh_capture;

/// A pattern, the text in which it is looked for, and what the last attempt captured.
typedef struct lh_matcher {
  lua_State *L;
  const char *subject;
  const char *subject_end;
  const char *pattern;
  const char *pattern_end;
  /// Steps until the next look for a kill.
  ptrdiff_t budget;
  int capture_count;
  lh_capture captures[LH_CAPTURE_LIMIT];
} lh_matcher;

/// The end of the match that begins at `start`, or NULL. It raises for a malformed pattern, and
/// when the interpreter is being killed.
const char *lh_match(lh_matcher *matcher, const char *start);

/// Counts work that was done; a kill is looked for once in so many steps.
void lh_look_for_kill(lh_matcher *matcher);

static inline void lh_spend(lh_matcher *matcher, ptrdiff_t steps) {
  matcher->budget -= steps;
  if (matcher->budget <= 0) lh_look_for_kill(matcher);
}

// pattern_functions.c
void lh_set_pattern_functions(lua_State *L);

#endif
