// How a run is killed: a hook raises an error that nothing in Lua catches.
#include "host.h"

#include <stdio.h>
#include <time.h>

/// Its address is the error value of a kill and of a cancelled wait: raising it allocates nothing.
const char lh_kill_sentinel;

int lh_raise_kill(lua_State *L) {
  // A full stack cannot take the value: what lies on top is raised instead, nothing looks at it.
  if (lua_checkstack(L, 1)) lua_pushlightuserdata(L, (void *)&lh_kill_sentinel);
  return lua_error(L);
}

/// Finds the innermost function in Lua; false where there is none.
static bool find_position(lua_State *L, lua_Debug *activation) {
  for (int level = 0; lua_getstack(L, level, activation); level++) {
    lua_getinfo(L, "Sl", activation);
    if (activation->currentline > 0) return true;
  }
  return false;
}

/// Notes, once, where the script was.
static void keep_position(lh_host *host, lua_State *L) {
  lua_Debug activation;
  if (host->kill_text[0] || !find_position(L, &activation)) return;
  snprintf(
      host->kill_text, sizeof host->kill_text, "%s:%d: ", activation.short_src,
      activation.currentline);
}

lh_position lh_position_of_call(const lh_host *host) {
  lua_Debug activation;
  if (!host->current || !find_position(host->current, &activation)) return (lh_position){};
  // A text that is a file's has its name behind an `@`.
  size_t start = activation.srclen > 0 && activation.source[0] == '@' ? 1 : 0;
  return (lh_position){
      .file = {.text = activation.source + start, .length = activation.srclen - start},
      .line = activation.currentline,
  };
}

/// Without signals (ThreadSanitizer withholds them), the clock is looked at instead.
static bool is_over(lh_host *host) {
  if (!host->uses_count_hook) return false;
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec >= host->fallback_deadline;
}

void lh_check_kill(lua_State *L) {
  lh_host *host = lh_host_of(L);
  if (!host->kill && is_over(host)) {
    host->kill = LH_KILL_PROCESSOR;
    lh_arm_hook(L, lh_kill_hook);
  }
  if (!host->kill) return;
  keep_position(host, L);
  lh_raise_kill(L);
}

// The hook stays set: a `__close` that the error runs into dies at its first step as well.
void lh_kill_hook(lua_State *L, lua_Debug *activation) {
  (void)activation;
  keep_position(lh_host_of(L), L);
  lh_raise_kill(L);
}

void lh_memory_hook(lua_State *L, lua_Debug *activation) {
  (void)activation;
  lh_host *host = lh_host_of(L);
  // The count that leads to the clock begins anew after this hook.
  if (!host->kill && is_over(host)) host->kill = LH_KILL_PROCESSOR;
  if (!host->kill) lh_check_memory(host);
  if (host->kill) {
    lh_arm_hook(L, lh_kill_hook);
    keep_position(host, L);
    lh_raise_kill(L);
  }
  lh_arm_hook(L, NULL);
  // The watchdog may have set its hook just before this one was taken away.
  if (host->kill) lh_arm_hook(L, lh_kill_hook);
}

static void fallback_hook(lua_State *L, lua_Debug *activation) {
  (void)activation;
  lh_check_kill(L);
}

// lua_sethook may be called from a signal handler: it only sets fields.
void lh_arm_hook(lua_State *L, lua_Hook hook) {
  if (hook) {
    lua_sethook(L, hook, LUA_MASKCOUNT | LUA_MASKCALL | LUA_MASKRET, 1);
  } else if (lh_host_of(L)->uses_count_hook) {
    lua_sethook(L, fallback_hook, LUA_MASKCOUNT, 100);
  } else {
    lua_sethook(L, NULL, 0, 0);
  }
}
