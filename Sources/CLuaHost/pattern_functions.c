// string.find, match, gmatch and gsub over our own matcher.
//
// What they return, and what their errors say, is what Lua 5.4's own functions do; a test compares
// the two. Ours can be killed at any step, and gsub's result is capped.
#define _GNU_SOURCE
#include "pattern.h"

/// The strings must stay where they are on the stack, or among the upvalues.
static void set_up(
    lh_matcher *matcher, lua_State *L, const char *subject, size_t length, const char *pattern,
    size_t pattern_length) {
  matcher->L = L;
  matcher->subject = subject;
  matcher->subject_end = subject + length;
  matcher->pattern = pattern;
  matcher->pattern_end = pattern + pattern_length;
  matcher->budget = LH_STEPS;
  matcher->capture_count = 0;
}

/// Whether the pattern begins with `^`, which is then left out.
static bool take_anchor(lh_matcher *matcher) {
  bool is_anchored = matcher->pattern < matcher->pattern_end && *matcher->pattern == '^';
  if (is_anchored) matcher->pattern++;
  return is_anchored;
}

/// How many bytes a search that starts at `position` (from 1, negative from the end) leaves out.
static size_t skipped(lua_Integer position, size_t length) {
  if (position > 0) return (size_t)position - 1;
  if (position == 0 || position < -(lua_Integer)length) return 0;
  return length - (size_t)-position;
}

// MARK: Captures

static int capture_count(const lh_matcher *matcher) {
  return matcher->capture_count > 0 ? matcher->capture_count : 1;
}

/// The capture `index`, from 0; the whole match is the only one where the pattern has none.
static lh_capture capture_at(
    const lh_matcher *matcher, int index, const char *start, const char *end) {
  if (index >= matcher->capture_count) {
    if (index > 0) luaL_error(matcher->L, "invalid capture index %%%d", index + 1);
    return (lh_capture){
        .start = start, .length = (size_t)(end - start), .state = LH_CAPTURE_CLOSED};
  }
  lh_capture capture = matcher->captures[index];
  if (capture.state == LH_CAPTURE_OPEN) luaL_error(matcher->L, "unfinished capture");
  return capture;
}

static void push_capture(const lh_matcher *matcher, lh_capture capture) {
  if (capture.state == LH_CAPTURE_POSITION) {
    lua_pushinteger(matcher->L, capture.start - matcher->subject + 1);
  } else {
    lua_pushlstring(matcher->L, capture.start, capture.length);
  }
}

static int push_captures(const lh_matcher *matcher, const char *start, const char *end) {
  int count = capture_count(matcher);
  luaL_checkstack(matcher->L, count, "too many captures");
  for (int i = 0; i < count; i++) push_capture(matcher, capture_at(matcher, i, start, end));
  return count;
}

// MARK: find and match

static bool is_plain(const char *pattern, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (pattern[i] && strchr("^$*+?.([%-", pattern[i])) return false;
  }
  return true;
}

/// Looks for a text by the piece; the pieces overlap, so that none is missed between two.
static const char *find_text(
    lua_State *L, const char *subject, size_t length, const char *text, size_t text_length) {
  enum { PIECE = 256 * 1024 };
  size_t piece = PIECE + 8 * text_length;
  lh_check_kill(L);
  while (length > piece) {
    const char *found = memmem(subject, piece, text, text_length);
    if (found) return found;
    size_t done = piece - text_length;
    subject += done;
    length -= done;
    lh_check_kill(L);
  }
  return memmem(subject, length, text, text_length);
}

static int find(lua_State *L, bool wants_place) {
  size_t length;
  size_t pattern_length;
  const char *subject = luaL_checklstring(L, 1, &length);
  const char *pattern = luaL_checklstring(L, 2, &pattern_length);
  size_t start = skipped(luaL_optinteger(L, 3, 1), length);
  if (start > length) {
    luaL_pushfail(L);
    return 1;
  }
  if (wants_place && (lua_toboolean(L, 4) || is_plain(pattern, pattern_length))) {
    const char *found = find_text(L, subject + start, length - start, pattern, pattern_length);
    if (!found) {
      luaL_pushfail(L);
      return 1;
    }
    lua_pushinteger(L, found - subject + 1);
    lua_pushinteger(L, found - subject + (lua_Integer)pattern_length);
    return 2;
  }
  lh_matcher matcher;
  set_up(&matcher, L, subject, length, pattern, pattern_length);
  bool is_anchored = take_anchor(&matcher);
  for (const char *place = subject + start; place <= matcher.subject_end; place++) {
    const char *end = lh_match(&matcher, place);
    if (end && !wants_place) return push_captures(&matcher, place, end);
    if (end) {
      lua_pushinteger(L, place - subject + 1);
      lua_pushinteger(L, end - subject);
      return 2 + (matcher.capture_count > 0 ? push_captures(&matcher, place, end) : 0);
    }
    if (is_anchored) break;
  }
  luaL_pushfail(L);
  return 1;
}

static int string_find(lua_State *L) {
  return find(L, true);
}

static int string_match(lua_State *L) {
  return find(L, false);
}

// MARK: gmatch

enum {
  SUBJECT = 1,
  PATTERN,
  /// Bytes that the next search leaves out.
  START,
  /// Where the last match ended, in bytes, or -1: an empty match there does not count.
  LAST_END,
};

static void set_upvalue(lua_State *L, int index, lua_Integer value) {
  lua_pushinteger(L, value);
  lua_replace(L, lua_upvalueindex(index));
}

static int next_match(lua_State *L) {
  size_t length;
  size_t pattern_length;
  const char *subject = lua_tolstring(L, lua_upvalueindex(SUBJECT), &length);
  const char *pattern = lua_tolstring(L, lua_upvalueindex(PATTERN), &pattern_length);
  size_t start = (size_t)lua_tointeger(L, lua_upvalueindex(START));
  lua_Integer last_end = lua_tointeger(L, lua_upvalueindex(LAST_END));
  lh_matcher matcher;
  set_up(&matcher, L, subject, length, pattern, pattern_length);
  for (; start <= length; start++) {
    const char *end = lh_match(&matcher, subject + start);
    if (!end || end - subject == last_end) continue;
    set_upvalue(L, START, end - subject);
    set_upvalue(L, LAST_END, end - subject);
    return push_captures(&matcher, subject + start, end);
  }
  return 0;
}

static int string_gmatch(lua_State *L) {
  size_t length;
  luaL_checklstring(L, 1, &length);
  luaL_checkstring(L, 2);
  size_t start = skipped(luaL_optinteger(L, 3, 1), length);
  lua_settop(L, 2);
  lua_pushinteger(L, start > length ? (lua_Integer)length + 1 : (lua_Integer)start);
  lua_pushinteger(L, -1);
  lua_pushcclosure(L, next_match, LAST_END);
  return 1;
}

// MARK: gsub

/// Stack of a gsub: subject, pattern, replacement, the newest result of a function or table; then
/// what the buffer needs.
enum { REPLACEMENT = 3, RESULT = 4 };

typedef struct substitution {
  lh_matcher matcher;
  luaL_Buffer buffer;
  /// The subject up to here is in the buffer, or replaced.
  const char *copied;
  bool is_changed;
} substitution;

static void add(substitution *substitution, const char *text, size_t length) {
  lua_State *L = substitution->matcher.L;
  size_t limit = lh_host_of(L)->limits.string_length;
  size_t used = luaL_bufflen(&substitution->buffer);
  if (length > limit || used > limit - length) lh_refuse_length(L);
  luaL_addlstring(&substitution->buffer, text, length);
}

static void add_subject(substitution *substitution, const char *end) {
  add(substitution, substitution->copied, (size_t)(end - substitution->copied));
}

static void add_capture(substitution *substitution, int index, const char *start, const char *end) {
  lh_capture capture = capture_at(&substitution->matcher, index, start, end);
  if (capture.state != LH_CAPTURE_POSITION) {
    add(substitution, capture.start, capture.length);
    return;
  }
  lua_State *L = substitution->matcher.L;
  push_capture(&substitution->matcher, capture);
  lua_replace(L, RESULT);
  size_t length;
  const char *text = lua_tolstring(L, RESULT, &length);
  add(substitution, text, length);
}

/// Adds the replacement text, with what `%0` to `%9` stand for.
static void add_replacement(substitution *substitution, const char *start, const char *end) {
  lua_State *L = substitution->matcher.L;
  size_t length;
  const char *next = lua_tolstring(L, REPLACEMENT, &length);
  const char *text_end = next + length;
  while (true) {
    const char *percent = memchr(next, '%', (size_t)(text_end - next));
    add(substitution, next, (size_t)((percent ? percent : text_end) - next));
    if (!percent) return;
    char what = percent + 1 < text_end ? percent[1] : 0;
    next = percent + 2;
    lh_spend(&substitution->matcher, 1);
    if (what == '%') {
      add(substitution, "%", 1);
    } else if (what == '0') {
      add(substitution, start, (size_t)(end - start));
    } else if (what >= '1' && what <= '9') {
      add_capture(substitution, what - '1', start, end);
    } else {
      luaL_error(L, "invalid use of '%%' in replacement string");
    }
  }
}

/// Asks the function or table for the replacement; false where it says that the match stays.
static bool take_result(substitution *substitution, const char *start, const char *end) {
  const lh_matcher *matcher = &substitution->matcher;
  lua_State *L = matcher->L;
  if (lua_type(L, REPLACEMENT) == LUA_TFUNCTION) {
    lua_pushvalue(L, REPLACEMENT);
    lua_call(L, push_captures(matcher, start, end), 1);
  } else {
    push_capture(matcher, capture_at(matcher, 0, start, end));
    lua_gettable(L, REPLACEMENT);
  }
  lua_replace(L, RESULT);
  if (!lua_toboolean(L, RESULT)) return false;
  if (!lua_isstring(L, RESULT)) {
    luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, RESULT));
  }
  return true;
}

static void replace(substitution *substitution, const char *start, const char *end) {
  lua_State *L = substitution->matcher.L;
  if (lua_isstring(L, REPLACEMENT)) {
    add_subject(substitution, start);
    add_replacement(substitution, start, end);
  } else {
    if (!take_result(substitution, start, end)) return;
    size_t length;
    const char *text = lua_tolstring(L, RESULT, &length);
    add_subject(substitution, start);
    add(substitution, text, length);
  }
  substitution->copied = end;
  substitution->is_changed = true;
}

static int string_gsub(lua_State *L) {
  size_t length;
  size_t pattern_length;
  const char *subject = luaL_checklstring(L, 1, &length);
  const char *pattern = luaL_checklstring(L, 2, &pattern_length);
  int type = lua_type(L, REPLACEMENT);
  lua_Integer limit = luaL_optinteger(L, 4, (lua_Integer)length + 1);
  bool is_usable = type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION ||
                   type == LUA_TTABLE;
  luaL_argexpected(L, is_usable, REPLACEMENT, "string/function/table");
  lua_settop(L, RESULT);
  substitution substitution;
  set_up(&substitution.matcher, L, subject, length, pattern, pattern_length);
  substitution.copied = subject;
  substitution.is_changed = false;
  luaL_buffinit(L, &substitution.buffer);
  lh_matcher *matcher = &substitution.matcher;
  bool is_anchored = take_anchor(matcher);
  const char *last_end = NULL;
  lua_Integer count = 0;
  for (const char *place = subject; count < limit;) {
    const char *end = lh_match(matcher, place);
    if (end && end != last_end) {
      count++;
      replace(&substitution, place, end);
      place = last_end = end;
    } else if (place < matcher->subject_end) {
      place++;
    } else {
      break;
    }
    if (is_anchored) break;
  }
  if (substitution.is_changed) {
    add_subject(&substitution, matcher->subject_end);
    luaL_pushresult(&substitution.buffer);
  } else {
    lua_pushvalue(L, 1);
  }
  lua_pushinteger(L, count);
  return 2;
}

static const luaL_Reg functions[] = {
    {"find", string_find},
    {"match", string_match},
    {"gmatch", string_gmatch},
    {"gsub", string_gsub},
    {NULL, NULL},
};

void lh_set_pattern_functions(lua_State *L) {
  luaL_setfuncs(L, functions, 0);
}
