// Coroutines in which scripts run; a few are kept for the next run.
#include "host.h"

#include <stdlib.h>

enum {
  SLOT_BITS = 12,
  SLOT_LIMIT = 1 << SLOT_BITS,
  IDLE_LIMIT = 4,
};

static int make_thread(lua_State *L) {
  lh_coroutine *coroutine = lua_touserdata(L, 1);
  coroutine->thread = lua_newthread(L);
  coroutine->anchor = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

static lh_coroutine *add_slot(lh_host *host) {
  if (host->coroutine_count == SLOT_LIMIT) return NULL;
  size_t size = (host->coroutine_count + 1) * sizeof *host->coroutines;
  lh_coroutine **coroutines = realloc(host->coroutines, size);
  if (!coroutines) return NULL;
  host->coroutines = coroutines;
  lh_coroutine *coroutine = calloc(1, sizeof *coroutine);
  if (!coroutine) return NULL;
  coroutines[host->coroutine_count] = coroutine;
  coroutine->id = (int64_t)host->coroutine_count;
  host->coroutine_count++;
  return coroutine;
}

static lh_coroutine *find_phase(lh_host *host, lh_phase phase) {
  for (size_t i = 0; i < host->coroutine_count; i++) {
    if (host->coroutines[i]->phase == phase) return host->coroutines[i];
  }
  return NULL;
}

lh_coroutine *lh_take_coroutine(lh_host *host) {
  lh_coroutine *coroutine = find_phase(host, LH_PHASE_IDLE);
  if (!coroutine) {
    coroutine = find_phase(host, LH_PHASE_EMPTY);
    if (!coroutine) coroutine = add_slot(host);
    if (!coroutine || !lh_protect(host, make_thread, coroutine)) return NULL;
  }
  int64_t slot = coroutine->id & (SLOT_LIMIT - 1);
  coroutine->id = (++host->last_id << SLOT_BITS) | slot;
  coroutine->phase = LH_PHASE_RUNNING;
  coroutine->cancelled = false;
  coroutine->failed = false;
  coroutine->function_count = 0;
  coroutine->next_function = 0;
  return coroutine;
}

lh_coroutine *lh_find_coroutine(lh_host *host, int64_t id) {
  size_t slot = (size_t)(id & (SLOT_LIMIT - 1));
  if (id <= 0 || slot >= host->coroutine_count) return NULL;
  lh_coroutine *coroutine = host->coroutines[slot];
  return coroutine->id == id ? coroutine : NULL;
}

void lh_give_back_coroutine(lh_host *host, lh_coroutine *coroutine, bool reusable) {
  size_t idle = 0;
  for (size_t i = 0; i < host->coroutine_count; i++) {
    if (host->coroutines[i]->phase == LH_PHASE_IDLE) idle++;
  }
  if (reusable && idle < IDLE_LIMIT) {
    lua_settop(coroutine->thread, 0);
    coroutine->phase = LH_PHASE_IDLE;
    return;
  }
  luaL_unref(host->main, LUA_REGISTRYINDEX, coroutine->anchor);
  coroutine->thread = NULL;
  coroutine->phase = LH_PHASE_EMPTY;
}

void lh_free_coroutines(lh_host *host) {
  for (size_t i = 0; i < host->coroutine_count; i++) {
    free(host->coroutines[i]->functions);
    free(host->coroutines[i]);
  }
  free(host->coroutines);
}
