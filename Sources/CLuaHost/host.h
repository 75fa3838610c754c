// What the files of CLuaHost share; not public.
#ifndef LH_HOST_H
#define LH_HOST_H

#include "CLuaHost.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <setjmp.h>
#include <signal.h>

/// Header of every block that Lua allocated: a killed interpreter is freed by walking this list,
/// without running Lua again.
typedef struct lh_block {
  struct lh_block *next;
  struct lh_block *previous;
} lh_block;

typedef enum lh_kill : int {
  LH_KILL_NONE,
  LH_KILL_PROCESSOR,
  LH_KILL_MEMORY,
} lh_kill;

typedef struct lh_function {
  struct lh_function *next;
  lh_host *host;
  char *name;
  int32_t number;
  /// The class of which this is a method, or -1.
  int32_t class_id;
  uint32_t flags;
} lh_function;

typedef struct lh_class {
  char *name;
  /// Registry references: metatable, methods, objects by number (weak).
  int metatable;
  int methods;
  int objects;
} lh_class;

typedef struct lh_shape {
  char *name;
  size_t count;
  /// Registry references: the array of keys, the metatable.
  int keys;
  int metatable;
} lh_shape;

/// What a full userdata holds; scripts cannot get at any other kind of userdata.
typedef struct lh_object {
  int32_t class_id;
  int64_t number;
} lh_object;

typedef enum lh_phase : uint8_t {
  LH_PHASE_EMPTY,
  LH_PHASE_IDLE,
  LH_PHASE_RUNNING,
  LH_PHASE_WAITING,
} lh_phase;

typedef struct lh_coroutine {
  lua_State *thread;
  /// Registry reference that keeps the thread.
  int anchor;
  int64_t id;
  lh_phase phase;
  bool cancelled;
  /// The run ended with an error; the host holds message and traceback.
  bool failed;
  int32_t *functions;
  size_t function_count;
  size_t function_capacity;
  size_t next_function;
} lh_coroutine;

typedef struct lh_message {
  char *text;
  size_t length;
} lh_message;

struct lh_host {
  lua_State *main;
  lh_limits limits;
  lh_callbacks callbacks;

  lh_block blocks;
  size_t memory;
  size_t allocations;
  bool memory_armed;

  /// Written by the watchdog's signal handler.
  volatile sig_atomic_t kill;
  lua_State *volatile current;
  /// Where a run that does not end is left to; see escape.c.
  jmp_buf escape;
  volatile sig_atomic_t can_escape;
  volatile sig_atomic_t in_callback;
  int64_t fallback_deadline;
  /// What scripts take for the present where that is not the wall clock's, in Unix seconds.
  int64_t time;
  bool has_time;
  bool uses_count_hook;
  bool dead;
  bool busy;
  bool loading;

  lh_coroutine *running;
  lh_coroutine **coroutines;
  size_t coroutine_count;
  int64_t last_id;
  /// What follows the name of a function that waits, while a text is loaded.
  char *wait_refusal;

  lh_function *functions;
  lh_class *classes;
  size_t class_count;
  lh_shape *shapes;
  size_t shape_count;

  /// Uses of each function reference, by registry index.
  uint32_t *uses;
  size_t uses_count;
  int references;
  int format;
  /// Lua's own, called once it is known that the result is not too long.
  lua_CFunction stock_format;
  lua_CFunction stock_pack;
  int namespaces;
  /// What each chunk returned, by its name.
  int chunks;
  /// The names of the chunks that run, the outermost first.
  int running_chunks;
  /// Registry reference of the table that scripts fill and the host reads; 0 before there is one.
  int kept_table;

  lh_value *arguments;
  size_t argument_count;
  size_t argument_capacity;
  /// Bytes of all strings among them.
  size_t argument_bytes;
  lh_buffer reply;
  const lh_buffer *incoming;
  /// Whether `incoming` holds the message of an error at the place of the wait.
  bool incoming_raises;
  lh_text chunk;
  const char *chunk_name;

  lh_message failure;
  lh_message traceback;
  lh_message cancel_message;
  char kill_text[256];
};

static inline lh_host *lh_host_of(lua_State *L) {
  return *(lh_host **)lua_getextraspace(L);
}

// memory.c
void *lh_allocate(void *host, void *block, size_t old_size, size_t size);
void lh_free_blocks(lh_host *host);
void lh_check_memory(lh_host *host);

// watchdog.c
typedef struct lh_watchdog lh_watchdog;
/// What was active on this thread before; given back to `lh_leave`.
lh_host *lh_enter(lh_host *host, lua_State *thread);
void lh_leave(lh_host *host, lh_host *before);
/// Lets the watchdog's signal through again, after its handler was left by a longjmp.
void lh_unblock_watchdog(void);

// escape.c
/// Finds out, once, where Lua's instructions lie.
void lh_find_lua(void);
/// In the watchdog's signal handler: leaves the run if the thread is where that is safe.
void lh_escape(lh_host *host, const void *context);

// kill.c
extern const char lh_kill_sentinel;
void lh_kill_hook(lua_State *L, lua_Debug *activation);
void lh_memory_hook(lua_State *L, lua_Debug *activation);
void lh_arm_hook(lua_State *L, lua_Hook hook);
/// Raises when the interpreter is being killed; long C loops call it.
void lh_check_kill(lua_State *L);
int lh_raise_kill(lua_State *L);

// protected_calls.c
int lh_pcall(lua_State *L);
int lh_xpcall(lua_State *L);
int lh_setmetatable(lua_State *L);

// libraries.c, string_library.c, table_library.c
void lh_open_libraries(lua_State *L);
void lh_replace_string_functions(lua_State *L);
/// Raises: the string that a function would make is longer than the limit.
int lh_refuse_length(lua_State *L);
void lh_replace_table_functions(lua_State *L);

// arguments.c
static inline void lh_clear_arguments(lh_host *host) {
  host->argument_count = 0;
  host->argument_bytes = 0;
}
/// Appends the value at `index` to the host's arguments; returns an error text or NULL.
const char *lh_take(lua_State *L, int index, uint32_t flags);
void lh_take_text(lh_host *host, const char *text, size_t length);
void lh_forget_functions(lh_host *host);

// push.c
/// Pushes every value of a buffer and returns how many there were; raises.
int lh_push_all(lua_State *L, const lh_buffer *buffer);

// names.c
/// Pushes the table that holds the last part of a dotted name, creating proxies on the way.
const char *lh_push_owner(lua_State *L, const char *name);
void lh_make_globals_strict(lua_State *L);
/// Pushes a C closure that raises through the unknown-key callback; the table of names on top of
/// the stack becomes its upvalue.
void lh_push_strict_index(lua_State *L, const char *owner);
int lh_raise_reply(lua_State *L, const lh_buffer *reply);

// chunks.c
/// Pushes what the chunk in the host's reply returns, and returns 1; raises or yields.
int lh_run_chunk_of_reply(lua_State *L);
/// Pushes what the chunk named in the host's reply returned, and returns 1; raises where none has.
int lh_recall_chunk_of_reply(lua_State *L);
/// Pushes an empty list of the chunks that run.
void lh_push_running_chunks(lua_State *L);
lh_text lh_script_of(lh_text text);

// calls.c
void lh_push_function(lua_State *L, lh_function *function);

// objects.c
void lh_push_object(lua_State *L, int32_t class_id, int64_t number);

// coroutines.c
lh_coroutine *lh_take_coroutine(lh_host *host);
lh_coroutine *lh_find_coroutine(lh_host *host, int64_t id);
void lh_give_back_coroutine(lh_host *host, lh_coroutine *coroutine, bool reusable);
void lh_free_coroutines(lh_host *host);

// failure.c
int lh_describe_error(lua_State *L);
void lh_keep_traceback(lua_State *L, int level);
void lh_keep_message(lh_message *message, const char *text, size_t length);
void lh_keep_error(lh_host *host, lua_State *thread);

// host.c
/// Runs `body` on the main thread inside a pcall; it finds `argument` as light userdata at 1.
bool lh_protect(lh_host *host, lua_CFunction body, void *argument);

#endif
