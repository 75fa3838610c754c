// The last resort: leaving Lua from the watchdog's signal handler.
//
// Lua looks for its hook between two instructions only, and one instruction can take minutes: a
// table whose keys collide is filled anew, weak tables hang on each other. A run that goes on long
// after it was killed is left by a longjmp to where it was entered. That is safe where the thread
// is in Lua's own code: then it holds no lock and is in no call of the C library, and no frame of
// Swift is left behind, since a host that has called back is not left. What Lua had half done does
// not matter: a killed interpreter is never run again, and its blocks are freed from a list.
#define _GNU_SOURCE
#include "host.h"

#include <link.h>
#include <signal.h>
#include <ucontext.h>

/// The instructions of the Lua library; none where they are linked into the program itself.
static uintptr_t lua_start;
static uintptr_t lua_end;

static bool contains(uintptr_t start, uintptr_t end, uintptr_t address) {
  return start <= address && address < end;
}

static int look_for_lua(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  (void)context;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    uintptr_t start = object->dlpi_addr + part->p_vaddr;
    uintptr_t end = start + part->p_memsz;
    if (!contains(start, end, (uintptr_t)&lua_newstate)) continue;
    if (contains(start, end, (uintptr_t)&look_for_lua)) return 1;
    lua_start = start;
    lua_end = end;
    return 1;
  }
  return 0;
}

void lh_find_lua(void) {
  dl_iterate_phdr(look_for_lua, NULL);
}

static uintptr_t interrupted_instruction(const void *context) {
  const ucontext_t *interrupted = context;
#if defined(__x86_64__)
  return (uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return (uintptr_t)interrupted->uc_mcontext.pc;
#else
  (void)interrupted;
  return 0;
#endif
}

void lh_escape(lh_host *host, const void *context) {
  if (!host->can_escape || host->in_callback) return;
  if (!contains(lua_start, lua_end, interrupted_instruction(context))) return;
  host->can_escape = false;
  _longjmp(host->escape, 1);
}
