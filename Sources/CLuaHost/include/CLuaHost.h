// The C side of the embedded Lua 5.4 interpreter.
//
// This header does not include lua.h: whoever imports it cannot name a Lua function that raises.
// A Lua error is a longjmp; it must never cross a Swift frame. So values cross as flat streams of
// `lh_value`, Swift callbacks return a status, and C raises or yields after they returned.
#ifndef CLUAHOST_H
#define CLUAHOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#pragma clang assume_nonnull begin

// MARK: Values

typedef enum lh_kind : uint8_t {
  LH_NIL,
  LH_BOOLEAN,
  LH_INTEGER,
  LH_NUMBER,
  LH_STRING,
  LH_TABLE,
  LH_RECORD,
  LH_FUNCTION,
  LH_OBJECT,
  LH_UNSUPPORTED,
} lh_kind;

/// One step of a stream of values.
///
/// | kind        | count           | union                                            |
/// |-------------|-----------------|--------------------------------------------------|
/// | STRING      | bytes           | `text` in arguments, in a buffer `offset`        |
/// | TABLE       | items           | `pairs`; items follow, then a key and a value each |
/// | RECORD      | shape           | a value for each key of the shape follows        |
/// | FUNCTION    | line defined at | `integer`: the reference                         |
/// | OBJECT      | class           | `integer`: the object's number                   |
/// | UNSUPPORTED | bytes           | `text`: the name of the Lua type                 |
typedef struct lh_value {
  lh_kind kind;
  uint32_t count;
  union {
    bool boolean;
    int64_t integer;
    double number;
    const char *_Nullable text;
    size_t offset;
    size_t pairs;
  };
} lh_value;

/// A growing stream of values on its way to Lua; plain malloc, never raises.
typedef struct lh_buffer {
  lh_value *_Nullable values;
  size_t count;
  size_t capacity;
  char *_Nullable bytes;
  size_t length;
  size_t size;
  /// Values put since the innermost table or record was begun.
  size_t children;
  /// An allocation failed or the buffer was misused: its content must not be used.
  bool failed;
} lh_buffer;

bool lh_buffer_grow(lh_buffer *buffer);
bool lh_buffer_grow_bytes(lh_buffer *buffer, size_t length);
void lh_buffer_free(lh_buffer *buffer);

static inline void lh_buffer_clear(lh_buffer *buffer) {
  buffer->count = 0;
  buffer->length = 0;
  buffer->children = 0;
  buffer->failed = false;
}

static inline void lh_put(lh_buffer *buffer, lh_value value) {
  if (buffer->count == buffer->capacity && !lh_buffer_grow(buffer)) return;
  buffer->values[buffer->count++] = value;
  buffer->children++;
}

static inline void lh_put_nil(lh_buffer *buffer) {
  lh_put(buffer, (lh_value){.kind = LH_NIL});
}

static inline void lh_put_boolean(lh_buffer *buffer, bool value) {
  lh_put(buffer, (lh_value){.kind = LH_BOOLEAN, .boolean = value});
}

static inline void lh_put_integer(lh_buffer *buffer, int64_t value) {
  lh_put(buffer, (lh_value){.kind = LH_INTEGER, .integer = value});
}

static inline void lh_put_number(lh_buffer *buffer, double value) {
  lh_put(buffer, (lh_value){.kind = LH_NUMBER, .number = value});
}

static inline void lh_put_string(lh_buffer *buffer, const void *_Nullable text, size_t length) {
  if (buffer->size - buffer->length < length && !lh_buffer_grow_bytes(buffer, length)) return;
  if (text && length > 0) memcpy(buffer->bytes + buffer->length, text, length);
  lh_value value = {.kind = LH_STRING, .count = (uint32_t)length, .offset = buffer->length};
  lh_put(buffer, value);
  buffer->length += length;
}

static inline void lh_put_object(lh_buffer *buffer, int32_t class_id, int64_t number) {
  lh_put(buffer, (lh_value){.kind = LH_OBJECT, .count = (uint32_t)class_id, .integer = number});
}

static inline void lh_put_function(lh_buffer *buffer, int32_t reference) {
  lh_put(buffer, (lh_value){.kind = LH_FUNCTION, .integer = reference});
}

/// A table whose contents are put next: the items, then a key and a value for each pair.
static inline void lh_put_table(lh_buffer *buffer, uint32_t items, size_t pairs) {
  lh_put(buffer, (lh_value){.kind = LH_TABLE, .count = items, .pairs = pairs});
}

/// A record whose values are put next, one for each key of its shape.
static inline void lh_put_record(lh_buffer *buffer, int32_t shape) {
  lh_put(buffer, (lh_value){.kind = LH_RECORD, .count = (uint32_t)shape});
}

// MARK: Callbacks

typedef enum lh_status : int32_t {
  /// The reply holds the results.
  LH_RETURN,
  /// The reply holds the message; C adds the position.
  LH_RAISE,
  /// The coroutine waits; what it is resumed with are the results.
  LH_WAIT,
  /// The reply holds a text and its name: it is compiled and run, once for each name, and what it
  /// returns is the result.
  LH_RUN,
  /// The reply holds a message and a name: what the text of that name returned is the result, and
  /// where none was run, the message is raised; C adds the position.
  LH_RECALL,
} lh_status;

typedef struct lh_text {
  const char *_Nullable text;
  size_t length;
} lh_text;

typedef struct lh_callbacks {
  void *_Nullable context;
  /// A declared function was called. The arguments live until the callback returns.
  lh_status (*call)(
      void *_Nullable context, int32_t function, const lh_value *_Nullable arguments,
      size_t count, lh_buffer *reply);
  /// A field of an object was read; without `key`, the object's description is asked for.
  lh_status (*field)(
      void *_Nullable context, int32_t class_id, int64_t number, lh_text key,
      lh_buffer *reply);
  /// A name that does not exist was read, or with the key `()` the owner was called as if it was a
  /// function; the reply takes the message to raise.
  void (*unknown_key)(
      void *_Nullable context, lh_text owner, lh_text key, const lh_value *_Nullable candidates,
      size_t count, lh_buffer *reply);
} lh_callbacks;

// MARK: The interpreter

typedef struct lh_limits {
  int64_t processor_nanoseconds;
  size_t soft_memory;
  size_t hard_memory;
  size_t string_length;
  /// For tests: from this allocation on, counted from 1, every one fails. 0 is never.
  size_t fail_allocation_at;
} lh_limits;

enum {
  /// `string.format` over the arguments when there are several; the function gets one string.
  LH_FUNCTION_FORMAT = 1,
  /// `tostring` of each argument, joined by tabs; the function gets one string.
  LH_FUNCTION_JOIN = 2,
  /// The function may answer LH_WAIT; it is refused where a wait is not possible.
  LH_FUNCTION_WAITS = 4,
  /// Lua functions among the arguments become references, each to be released once.
  LH_FUNCTION_KEEPS = 8,
};

typedef enum lh_result : int32_t {
  LH_FINISHED,
  LH_WAITING,
  LH_FAILED,
  LH_KILLED_PROCESSOR,
  LH_KILLED_MEMORY,
} lh_result;

/// How a run went on; the texts live until the next call for the same host.
typedef struct lh_outcome {
  lh_result result;
  int64_t coroutine;
  lh_text message;
  lh_text traceback;
} lh_outcome;

typedef struct lh_host lh_host;

/// `wait_refusal` is what an error says behind the name of a function that waits, while a text is
/// loaded.
lh_host *_Nullable lh_new(lh_limits limits, lh_callbacks callbacks, const char *wait_refusal);
void lh_free(lh_host *host);

// Each returns false, or a negative number, when memory ran out or a name cannot be used.
int32_t lh_define_class(lh_host *host, const char *name);
int32_t lh_define_shape(
    lh_host *host, const char *name, const lh_text *keys, size_t count);
/// Adds the function `name`: global, dotted (`reach.log.info`) or a method (`target:wait`).
bool lh_add_function(
    lh_host *host, int32_t number, const char *name, uint32_t flags);
bool lh_set_constant(
    lh_host *host, const char *name, const lh_buffer *value);

/// Puts a table under a name, whose contents scripts may change; there is one of a host.
bool lh_keep_table(lh_host *host, const char *name, const lh_buffer *value);
/// Reads that table without metamethods; what is wrong with it, or NULL. The values live until the
/// host is used again.
const char *_Nullable lh_read_table(
    lh_host *host, const lh_value *_Nullable *_Nonnull values, size_t *count);

/// Compiles a text and runs it; waits are refused.
lh_outcome lh_load(
    lh_host *host, const char *_Nullable text, size_t length, const char *name);
/// Calls each function in turn with the same argument, in a coroutine of its own.
lh_outcome lh_start(
    lh_host *host, const int32_t *_Nullable functions, size_t count,
    const lh_buffer *argument);
lh_outcome lh_resume(
    lh_host *host, int64_t coroutine, const lh_buffer *values);
/// Goes on with an ordinary error at the place of the wait; the buffer holds its message.
lh_outcome lh_resume_raising(
    lh_host *host, int64_t coroutine, const lh_buffer *message);
/// Ends a waiting coroutine with an error that no pcall catches.
lh_outcome lh_cancel(lh_host *host, int64_t coroutine, lh_text message);
/// Gives a function back; also allowed inside a callback.
void lh_release(lh_host *host, int32_t reference);

bool lh_is_dead(const lh_host *host);
size_t lh_memory(const lh_host *host);
/// Has `os.time` and `os.date` take that for the present, in Unix seconds, not the wall clock.
void lh_set_time(lh_host *host, int64_t seconds);
/// The coroutine that runs now, 0 while a text is loaded.
int64_t lh_current(const lh_host *host);
/// A line of a text by the whole name of its file; 0 where it is unknown.
typedef struct lh_position {
  lh_text file;
  int32_t line;
} lh_position;

/// Inside a callback: where the script calls; the name lives until the callback returns.
lh_position lh_position_of_call(const lh_host *host);

/// Frees all that the script has no way to any more; false where that could not be done.
bool lh_collect(lh_host *host);
/// Whether the script has had no object of that class and number, or has lost all ways to it.
/// Certain right after `lh_collect`; before, what is lost may not be known to be.
bool lh_has_lost(lh_host *host, int32_t class_id, int64_t number);

// MARK: For tests

/// From the n-th allocation on, counted from 1, every one fails; 0 ends it.
void lh_fail_allocation_at(lh_host *host, size_t n);
size_t lh_allocations(const lh_host *host);
/// Bytes that interpreters of this process had not given back when they were closed; 0 is right.
size_t lh_memory_left(void);

#pragma clang assume_nonnull end

#endif
