// The allocator: counters, two limits, and a list of all blocks.
//
// At the soft limit the allocation succeeds and a hook is armed that collects garbage and, if that
// does not help, kills. NULL is only returned at the hard limit: Lua 5.4.4 can use freed memory
// when an emergency collection meets a chain of __newindex.
#include "host.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_size_t memory_left;

static void link_block(lh_host *host, lh_block *block) {
  lh_block *first = host->blocks.next;
  block->previous = &host->blocks;
  block->next = first;
  host->blocks.next = block;
  if (first) first->previous = block;
}

static void relink_block(lh_block *block) {
  block->previous->next = block;
  if (block->next) block->next->previous = block;
}

static void unlink_block(lh_block *block) {
  block->previous->next = block->next;
  if (block->next) block->next->previous = block->previous;
}

static bool is_refused(lh_host *host, size_t growth) {
  host->allocations++;
  size_t fail_at = host->limits.fail_allocation_at;
  if (fail_at > 0 && host->allocations >= fail_at) return true;
  return host->memory + growth > host->limits.hard_memory;
}

static void arm_memory_check(lh_host *host) {
  lua_State *thread = host->current;
  if (!thread || host->memory_armed) return;
  host->memory_armed = true;
  if (!host->kill) lh_arm_hook(thread, lh_memory_hook);
}

void *lh_allocate(void *context, void *pointer, size_t old_size, size_t size) {
  lh_host *host = context;
  lh_block *old = pointer ? (lh_block *)pointer - 1 : NULL;
  if (!old) old_size = 0;
  if (size == 0) {
    if (!old) return NULL;
    unlink_block(old);
    free(old);
    host->memory -= old_size;
    return NULL;
  }
  if (size > old_size && is_refused(host, size - old_size)) return NULL;
  lh_block *block = realloc(old, size + sizeof(lh_block));
  if (!block) return NULL;
  if (old) {
    relink_block(block);
  } else {
    link_block(host, block);
  }
  host->memory += size - old_size;
  if (size > old_size && host->memory > host->limits.soft_memory) arm_memory_check(host);
  return block + 1;
}

void lh_free_blocks(lh_host *host) {
  if (!host->dead) atomic_fetch_add_explicit(&memory_left, host->memory, memory_order_relaxed);
  lh_block *block = host->blocks.next;
  while (block) {
    lh_block *next = block->next;
    free(block);
    block = next;
  }
  host->blocks.next = NULL;
  host->memory = 0;
}

void lh_check_memory(lh_host *host) {
  host->memory_armed = false;
  if (host->memory <= host->limits.soft_memory) return;
  lua_gc(host->main, LUA_GCCOLLECT);
  host->memory_armed = false;
  if (host->memory > host->limits.soft_memory) host->kill = LH_KILL_MEMORY;
}

size_t lh_memory(const lh_host *host) {
  return host->memory;
}

size_t lh_memory_left(void) {
  return atomic_load_explicit(&memory_left, memory_order_relaxed);
}

size_t lh_allocations(const lh_host *host) {
  return host->allocations;
}

void lh_fail_allocation_at(lh_host *host, size_t n) {
  host->allocations = 0;
  host->limits.fail_allocation_at = n;
}
