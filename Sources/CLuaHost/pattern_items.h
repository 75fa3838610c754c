// The items of a pattern that stand for one character: itself, `.`, a class, a set.
//
// A malformed item is an error when the match comes to it, not before, as in Lua's own library. The
// functions are inline since each step of a match calls them.
#ifndef LH_PATTERN_ITEMS_H
#define LH_PATTERN_ITEMS_H

#include "pattern.h"

#include <ctype.h>

static inline const char *lh_set_end(lh_matcher *matcher, const char *set) {
  const char *next = set + 1;
  if (next < matcher->pattern_end && *next == '^') next++;
  // A bracket that comes first is a member of the set.
  for (bool is_first = true;; is_first = false) {
    if (next >= matcher->pattern_end) luaL_error(matcher->L, "malformed pattern (missing ']')");
    if (*next == ']' && !is_first) return next + 1;
    next += *next == '%' ? 2 : 1;
  }
}

/// The end of the single item that begins at `item`.
static inline const char *lh_item_end(lh_matcher *matcher, const char *item) {
  if (*item == '[') return lh_set_end(matcher, item);
  if (*item != '%') return item + 1;
  if (matcher->pattern_end - item < 2) {
    luaL_error(matcher->L, "malformed pattern (ends with '%%')");
  }
  return item + 2;
}

/// A letter in upper case stands for all that its class lacks; no letter of a class, for itself.
static inline bool lh_is_in_class(unsigned char class, unsigned char c) {
  enum { LOWER_CASE = 'a' - 'A' };
  bool result;
  switch (class | LOWER_CASE) {
    case 'a': result = isalpha(c); break;
    case 'c': result = iscntrl(c); break;
    case 'd': result = isdigit(c); break;
    case 'g': result = isgraph(c); break;
    case 'l': result = islower(c); break;
    case 'p': result = ispunct(c); break;
    case 's': result = isspace(c); break;
    case 'u': result = isupper(c); break;
    case 'w': result = isalnum(c); break;
    case 'x': result = isxdigit(c); break;
    // Not in the manual since 5.2, and still there.
    case 'z': result = c == 0; break;
    default: return class == c;
  }
  return class & LOWER_CASE ? result : !result;
}

static inline bool lh_is_in_set(const char *set, const char *set_end, unsigned char c) {
  const char *bracket = set_end - 1;
  const char *member = set + 1;
  bool is_listed = true;
  if (*member == '^') {
    is_listed = false;
    member++;
  }
  while (member < bracket) {
    if (*member == '%') {
      if (lh_is_in_class((unsigned char)member[1], c)) return is_listed;
      member += 2;
    } else if (bracket - member > 2 && member[1] == '-') {
      if ((unsigned char)member[0] <= c && c <= (unsigned char)member[2]) return is_listed;
      member += 3;
    } else {
      if ((unsigned char)*member == c) return is_listed;
      member++;
    }
  }
  return !is_listed;
}

/// Whether a single item stands for the character `c`.
static inline bool lh_item_fits(const char *item, const char *item_end, unsigned char c) {
  switch (*item) {
    case '.': return true;
    case '%': return lh_is_in_class((unsigned char)item[1], c);
    case '[': return lh_is_in_set(item, item_end, c);
    default: return (unsigned char)*item == c;
  }
}

#endif
