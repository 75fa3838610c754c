// Lua's patterns, matched with a stack of choices instead of recursion.
//
// A match walks through pattern and subject. Where there is more than one way on, it takes the
// first and keeps the choice; where it gets stuck, it goes back to the newest choice that has
// another way. Going back may take exponential time, so each step is counted, and every so many
// steps a kill is looked for. Nothing is allocated here: the kill's error may leave at any step.
#include "pattern.h"
#include "pattern_items.h"

enum {
  /// Choices of one match; with one more, Lua's own library has its 200 nested calls.
  CHOICE_LIMIT = 199,
};

typedef enum choice_kind : uint8_t {
  /// Going back over a parenthesis undoes it; there is no other way.
  OPENED,
  CLOSED,
  /// `?`: without the item.
  OPTIONAL,
  /// `*` and `+`: with one item less, down to the least.
  LONGEST,
  /// `-`: with one item more.
  SHORTEST,
} choice_kind;

typedef struct choice {
  choice_kind kind;
  int capture;
  const char *item;
  /// The pattern behind the item and its quantifier.
  const char *rest;
  /// Where the way that was taken goes on in the subject.
  const char *subject;
  const char *least;
} choice;

/// One walk, from one place of the subject.
typedef struct walk {
  lh_matcher *matcher;
  const char *pattern;
  const char *subject;
  int choice_count;
  choice *choices;
} walk;

void lh_look_for_kill(lh_matcher *matcher) {
  matcher->budget = LH_STEPS;
  lh_check_kill(matcher->L);
}

static void keep(walk *walk, choice choice) {
  if (walk->choice_count == CHOICE_LIMIT) luaL_error(walk->matcher->L, "pattern too complex");
  walk->choices[walk->choice_count++] = choice;
}

// MARK: Captures

static bool open_capture(walk *walk) {
  lh_matcher *matcher = walk->matcher;
  const char *next = walk->pattern + 1;
  lh_capture_state state = LH_CAPTURE_OPEN;
  if (next < matcher->pattern_end && *next == ')') {
    state = LH_CAPTURE_POSITION;
    next++;
  }
  if (matcher->capture_count == LH_CAPTURE_LIMIT) luaL_error(matcher->L, "too many captures");
  keep(walk, (choice){.kind = OPENED});
  matcher->captures[matcher->capture_count++] =
      (lh_capture){.start = walk->subject, .state = state};
  walk->pattern = next;
  return true;
}

static bool close_capture(walk *walk) {
  lh_matcher *matcher = walk->matcher;
  int index = matcher->capture_count - 1;
  while (index >= 0 && matcher->captures[index].state != LH_CAPTURE_OPEN) index--;
  if (index < 0) luaL_error(matcher->L, "invalid pattern capture");
  keep(walk, (choice){.kind = CLOSED, .capture = index});
  lh_capture *capture = &matcher->captures[index];
  capture->state = LH_CAPTURE_CLOSED;
  capture->length = (size_t)(walk->subject - capture->start);
  walk->pattern++;
  return true;
}

/// `%1`: the text of a capture once more. A position has no text and never matches.
static bool repeat_capture(walk *walk) {
  lh_matcher *matcher = walk->matcher;
  int index = walk->pattern[1] - '1';
  if (index < 0 || index >= matcher->capture_count ||
      matcher->captures[index].state == LH_CAPTURE_OPEN) {
    luaL_error(matcher->L, "invalid capture index %%%d", index + 1);
  }
  const lh_capture *capture = &matcher->captures[index];
  if (capture->state == LH_CAPTURE_POSITION) return false;
  size_t length = capture->length;
  if ((size_t)(matcher->subject_end - walk->subject) < length) return false;
  lh_spend(matcher, (ptrdiff_t)(length / 8));
  if (memcmp(capture->start, walk->subject, length) != 0) return false;
  walk->pattern += 2;
  walk->subject += length;
  return true;
}

// MARK: `%b` and `%f`

/// `%bxy`: from an `x` to the `y` that ends it, as with parentheses.
static bool match_balanced(walk *walk) {
  lh_matcher *matcher = walk->matcher;
  if (matcher->pattern_end - walk->pattern < 4) {
    luaL_error(matcher->L, "malformed pattern (missing arguments to '%%b')");
  }
  char first = walk->pattern[2];
  char last = walk->pattern[3];
  const char *next = walk->subject;
  if (next == matcher->subject_end || *next != first) return false;
  size_t depth = 1;
  while (depth > 0 && ++next < matcher->subject_end) {
    if (*next == last) {
      depth--;
    } else if (*next == first) {
      depth++;
    }
  }
  lh_spend(matcher, next - walk->subject);
  if (depth > 0) return false;
  walk->pattern += 4;
  walk->subject = next + 1;
  return true;
}

/// `%f[set]`: between a character outside the set and one inside; both ends of the subject count
/// as "\0".
static bool match_frontier(walk *walk) {
  lh_matcher *matcher = walk->matcher;
  const char *set = walk->pattern + 2;
  if (set == matcher->pattern_end || *set != '[') {
    luaL_error(matcher->L, "missing '[' after '%%f' in pattern");
  }
  const char *set_end = lh_item_end(matcher, set);
  lh_spend(matcher, set_end - set);
  const char *here = walk->subject;
  unsigned char before = here == matcher->subject ? 0 : (unsigned char)here[-1];
  unsigned char after = here == matcher->subject_end ? 0 : (unsigned char)*here;
  if (lh_is_in_set(set, set_end, before) || !lh_is_in_set(set, set_end, after)) return false;
  walk->pattern = set_end;
  return true;
}

// MARK: Single items and quantifiers

static bool fits(
    const lh_matcher *matcher, const char *item, const char *end, const char *subject) {
  return subject < matcher->subject_end && lh_item_fits(item, end, (unsigned char)*subject);
}

/// The end of the longest run of an item; counted by the piece.
static const char *run_end(
    lh_matcher *matcher, const char *item, const char *item_end, const char *start) {
  if (*item == '.') return matcher->subject_end;
  ptrdiff_t cost = item_end - item;
  for (const char *next = start;;) {
    ptrdiff_t piece = LH_STEPS / cost + 1;
    ptrdiff_t rest = matcher->subject_end - next;
    const char *piece_start = next;
    const char *piece_end = next + (rest < piece ? rest : piece);
    while (next < piece_end && lh_item_fits(item, item_end, (unsigned char)*next)) next++;
    lh_spend(matcher, (next - piece_start) * cost);
    if (next < piece_end || next == matcher->subject_end) return next;
  }
}

static void match_longest(
    walk *walk, const char *item, const char *item_end, const char *least) {
  const char *end = run_end(walk->matcher, item, item_end, least);
  const char *rest = item_end + 1;
  keep(walk, (choice){.kind = LONGEST, .rest = rest, .subject = end, .least = least});
  walk->subject = end;
  walk->pattern = rest;
}

static bool match_item(walk *walk) {
  lh_matcher *matcher = walk->matcher;
  const char *item = walk->pattern;
  const char *here = walk->subject;
  const char *end = lh_item_end(matcher, item);
  lh_spend(matcher, end - item);
  bool holds = fits(matcher, item, end, here);
  char quantifier = end < matcher->pattern_end ? *end : 0;
  switch (quantifier) {
    case '?':
    case '*':
    case '-':
      walk->pattern = end + 1;
      if (!holds) return true;
      if (quantifier == '*') {
        match_longest(walk, item, end, here);
        return true;
      }
      bool is_optional = quantifier == '?';
      keep(
          walk, (choice){.kind = is_optional ? OPTIONAL : SHORTEST,
                         .item = item,
                         .rest = end + 1,
                         .subject = here});
      if (is_optional) walk->subject++;
      return true;
    case '+':
      if (holds) match_longest(walk, item, end, here + 1);
      return holds;
    default:
      if (!holds) return false;
      walk->pattern = end;
      walk->subject++;
      return true;
  }
}

// MARK: The walk

/// Matches the next item of the pattern, and moves on; false where that is not possible.
static bool match_next(walk *walk) {
  const lh_matcher *matcher = walk->matcher;
  const char *item = walk->pattern;
  bool is_last = item + 1 == matcher->pattern_end;
  if (*item == '(') return open_capture(walk);
  if (*item == ')') return close_capture(walk);
  if (*item == '$' && is_last) {
    walk->pattern++;
    return walk->subject == matcher->subject_end;
  }
  if (*item == '%' && !is_last) {
    if (item[1] == 'b') return match_balanced(walk);
    if (item[1] == 'f') return match_frontier(walk);
    if (item[1] >= '0' && item[1] <= '9') return repeat_capture(walk);
  }
  return match_item(walk);
}

/// Takes another way at the newest choice; false where it has none, and is dropped.
static bool choose_again(walk *walk) {
  lh_matcher *matcher = walk->matcher;
  choice *choice = &walk->choices[walk->choice_count - 1];
  switch (choice->kind) {
    case OPENED:
      matcher->capture_count--;
      walk->choice_count--;
      return false;
    case CLOSED:
      matcher->captures[choice->capture].state = LH_CAPTURE_OPEN;
      walk->choice_count--;
      return false;
    case OPTIONAL:
      walk->choice_count--;
      break;
    case LONGEST:
      if (choice->subject == choice->least) {
        walk->choice_count--;
        return false;
      }
      choice->subject--;
      break;
    case SHORTEST:
      lh_spend(matcher, choice->rest - choice->item);
      if (!fits(matcher, choice->item, choice->rest - 1, choice->subject)) {
        walk->choice_count--;
        return false;
      }
      choice->subject++;
      break;
  }
  walk->pattern = choice->rest;
  walk->subject = choice->subject;
  return true;
}

static bool go_back(walk *walk) {
  while (walk->choice_count > 0) {
    lh_spend(walk->matcher, 1);
    if (choose_again(walk)) return true;
  }
  return false;
}

const char *lh_match(lh_matcher *matcher, const char *start) {
  choice choices[CHOICE_LIMIT];
  walk walk = {
      .matcher = matcher, .pattern = matcher->pattern, .subject = start, .choices = choices};
  matcher->capture_count = 0;
  lh_spend(matcher, 1);
  while (walk.pattern < matcher->pattern_end) {
    if (!match_next(&walk) && !go_back(&walk)) return NULL;
  }
  return walk.subject;
}
