// Load, start, resume, cancel: the ways into Lua, and how each ended.
#include "host.h"

#include <stdio.h>
#include <stdlib.h>

static lh_text text_of(const lh_message *message) {
  return (lh_text){.text = message->text, .length = message->length};
}

static lh_outcome refuse(lh_host *host, const char *reason) {
  lh_keep_message(&host->failure, reason, strlen(reason));
  lh_keep_message(&host->traceback, "", 0);
  return (lh_outcome){.result = LH_FAILED, .message = text_of(&host->failure)};
}

/// Why the host cannot be entered now, or NULL.
static const char *obstacle(const lh_host *host) {
  if (host->dead) return "the interpreter was killed";
  if (host->busy) return "the interpreter is running";
  return NULL;
}

// MARK: What a step came to

static lh_outcome killed(lh_host *host) {
  host->dead = true;
  bool by_memory = host->kill == LH_KILL_MEMORY;
  size_t used = strlen(host->kill_text);
  char *end = host->kill_text + used;
  size_t space = sizeof host->kill_text - used;
  if (by_memory) {
    snprintf(end, space, "more than %zu KiB of memory in use", host->limits.soft_memory / 1024);
  } else {
    long long milliseconds = host->limits.processor_nanoseconds / 1000000;
    snprintf(end, space, "more than %lld ms of processor time used", milliseconds);
  }
  return (lh_outcome){
      .result = by_memory ? LH_KILLED_MEMORY : LH_KILLED_PROCESSOR,
      .message = {.text = host->kill_text, .length = strlen(host->kill_text)},
  };
}

static lh_outcome outcome(lh_host *host, lh_coroutine *coroutine, int status) {
  if (host->kill) return killed(host);
  if (status == LUA_YIELD) {
    coroutine->phase = LH_PHASE_WAITING;
    return (lh_outcome){.result = LH_WAITING, .coroutine = coroutine->id};
  }
  bool failed = coroutine->failed || status != LUA_OK || coroutine->cancelled;
  if (status != LUA_OK) lh_keep_error(host, coroutine->thread);
  lh_give_back_coroutine(host, coroutine, status == LUA_OK);
  if (!failed) return (lh_outcome){.result = LH_FINISHED};
  const lh_message *message = coroutine->cancelled ? &host->cancel_message : &host->failure;
  return (lh_outcome){
      .result = LH_FAILED,
      .message = text_of(message),
      .traceback = text_of(&host->traceback),
  };
}

/// Resumes the thread; the watchdog comes back here from a run that does not end.
static int resume(lh_host *host, lua_State *thread) {
  if (_setjmp(host->escape) != 0) {
    lh_unblock_watchdog();
    return LUA_ERRRUN;
  }
  host->can_escape = true;
  int count = 0;
  int status = lua_resume(thread, host->main, 0, &count);
  host->can_escape = false;
  return status;
}

static lh_outcome step(lh_host *host, lh_coroutine *coroutine) {
  lua_State *thread = coroutine->thread;
  host->failure.length = 0;
  host->traceback.length = 0;
  host->busy = true;
  host->running = coroutine;
  coroutine->phase = LH_PHASE_RUNNING;
  lh_host *before = lh_enter(host, thread);
  int status = resume(host, thread);
  lh_leave(host, before);
  host->incoming = NULL;
  host->incoming_raises = false;
  if (host->memory_armed && !host->kill) {
    lh_check_memory(host);
    lh_arm_hook(thread, NULL);
  }
  lh_outcome result = outcome(host, coroutine, status);
  host->running = NULL;
  host->busy = false;
  return result;
}

static int end_protected(lua_State *L, int status) {
  lh_host *host = lh_host_of(L);
  if (host->kill) return 0;
  host->running->failed = true;
  if (status != LUA_OK) lh_keep_error(host, L);
  return 0;
}

static bool is_error(int status) {
  return status != LUA_OK && status != LUA_YIELD;
}

// MARK: Load

static int after_chunk(lua_State *L, int status, lua_KContext context) {
  (void)context;
  return is_error(status) ? end_protected(L, status) : 0;
}

static int run_chunk(lua_State *L) {
  lh_host *host = lh_host_of(L);
  lua_pushcfunction(L, lh_describe_error);
  int status =
      luaL_loadbufferx(L, host->chunk.text, host->chunk.length, host->chunk_name, "t");
  if (status != LUA_OK) return end_protected(L, status);
  return after_chunk(L, lua_pcallk(L, 0, 0, 1, 0, after_chunk), 0);
}

lh_outcome lh_load(lh_host *host, const char *text, size_t length, const char *name) {
  const char *reason = obstacle(host);
  if (reason) return refuse(host, reason);
  if (length > host->limits.string_length) return refuse(host, "the script is too long");
  lh_coroutine *coroutine = lh_take_coroutine(host);
  if (!coroutine) return refuse(host, "not enough memory for a coroutine");
  host->chunk = lh_script_of((lh_text){.text = text, .length = length});
  host->chunk_name = name;
  host->loading = true;
  lua_pushcfunction(coroutine->thread, run_chunk);
  lh_outcome result = step(host, coroutine);
  host->loading = false;
  return result;
}

// MARK: Start

/// Stack of a run: the argument, the message handler, then what is called.
static int call_next(lua_State *L, int status, lua_KContext context) {
  (void)context;
  lh_coroutine *coroutine = lh_host_of(L)->running;
  if (is_error(status)) return end_protected(L, status);
  while (coroutine->next_function < coroutine->function_count) {
    int reference = coroutine->functions[coroutine->next_function++];
    lua_settop(L, 2);
    lua_rawgeti(L, LUA_REGISTRYINDEX, reference);
    lua_pushvalue(L, 1);
    status = lua_pcallk(L, 1, 0, 2, 0, call_next);
    if (status != LUA_OK) return end_protected(L, status);
  }
  return 0;
}

static int run_functions(lua_State *L) {
  lh_push_all(L, lh_host_of(L)->incoming);
  lua_settop(L, 1);
  lua_pushcfunction(L, lh_describe_error);
  return call_next(L, LUA_OK, 0);
}

static bool set_functions(lh_coroutine *coroutine, const int32_t *functions, size_t count) {
  if (count > coroutine->function_capacity) {
    int32_t *copy = realloc(coroutine->functions, count * sizeof *copy);
    if (!copy) return false;
    coroutine->functions = copy;
    coroutine->function_capacity = count;
  }
  if (count > 0) memcpy(coroutine->functions, functions, count * sizeof *functions);
  coroutine->function_count = count;
  return true;
}

static bool is_known(const lh_host *host, int32_t reference) {
  return reference > 0 && (size_t)reference < host->uses_count && host->uses[reference] > 0;
}

lh_outcome lh_start(
    lh_host *host, const int32_t *functions, size_t count, const lh_buffer *argument) {
  const char *reason = obstacle(host);
  if (reason) return refuse(host, reason);
  for (size_t i = 0; i < count; i++) {
    if (!is_known(host, functions[i])) return refuse(host, "no such function");
  }
  lh_coroutine *coroutine = lh_take_coroutine(host);
  if (!coroutine) return refuse(host, "not enough memory for a coroutine");
  if (!set_functions(coroutine, functions, count)) {
    lh_give_back_coroutine(host, coroutine, true);
    return refuse(host, "not enough memory for a coroutine");
  }
  host->incoming = argument;
  lua_pushcfunction(coroutine->thread, run_functions);
  return step(host, coroutine);
}

// MARK: Resume and cancel

static lh_outcome go_on(
    lh_host *host, int64_t id, const lh_buffer *values, bool raises,
    const lh_text *cancel_message) {
  const char *reason = obstacle(host);
  if (reason) return refuse(host, reason);
  lh_coroutine *coroutine = lh_find_coroutine(host, id);
  if (!coroutine || coroutine->phase != LH_PHASE_WAITING) {
    return refuse(host, "no such coroutine is waiting");
  }
  if (cancel_message) {
    coroutine->cancelled = true;
    lh_keep_message(&host->cancel_message, cancel_message->text, cancel_message->length);
  }
  host->incoming = values;
  host->incoming_raises = raises;
  return step(host, coroutine);
}

lh_outcome lh_resume(lh_host *host, int64_t coroutine, const lh_buffer *values) {
  return go_on(host, coroutine, values, false, NULL);
}

lh_outcome lh_resume_raising(lh_host *host, int64_t coroutine, const lh_buffer *message) {
  return go_on(host, coroutine, message, true, NULL);
}

lh_outcome lh_cancel(lh_host *host, int64_t coroutine, lh_text message) {
  return go_on(host, coroutine, NULL, false, &message);
}

int64_t lh_current(const lh_host *host) {
  return host->loading || !host->running ? 0 : host->running->id;
}

bool lh_is_dead(const lh_host *host) {
  return host->dead;
}
