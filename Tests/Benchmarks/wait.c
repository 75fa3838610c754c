// A call that waits, as a bare C program: a coroutine on one thread yields, the event loop on
// another hears of it, and has it go on.
//
// usage: wait N     time N such calls, five times over
#include <lauxlib.h>
#include <lualib.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5 };

static int asked;
static struct {
  pthread_mutex_t lock;
  pthread_cond_t filled;
  bool is_answered;
} answer = {.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER};
static double rounds[ROUNDS];

static int sleep_call(lua_State *L) {
  return lua_yield(L, 0);
}

static void ask(void) {
  uint64_t one = 1;
  if (write(asked, &one, sizeof one) < 0) perror("wait: ask");
  pthread_mutex_lock(&answer.lock);
  while (!answer.is_answered) pthread_cond_wait(&answer.filled, &answer.lock);
  answer.is_answered = false;
  pthread_mutex_unlock(&answer.lock);
}

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int compare(const void *a, const void *b) {
  double left = *(const double *)a;
  double right = *(const double *)b;
  return (left > right) - (left < right);
}

static void *run_script(void *argument) {
  long count = *(const long *)argument;
  lua_State *L = luaL_newstate();
  if (!L) exit(1);
  luaL_openlibs(L);
  lua_register(L, "sleep", sleep_call);
  lua_State *coroutine = lua_newthread(L);
  for (int round = -1; round < ROUNDS; round++) {  // the first only warms up
    if (luaL_loadstring(coroutine, "for i = 1, ... do sleep(0) end") != LUA_OK) exit(1);
    lua_pushinteger(coroutine, count);
    double start = seconds();
    int results;
    int status = lua_resume(coroutine, L, 1, &results);
    for (; status == LUA_YIELD; status = lua_resume(coroutine, L, 0, &results)) ask();
    if (status != LUA_OK) exit(1);
    if (round >= 0) rounds[round] = (seconds() - start) * 1e9 / (double)count;
  }
  qsort(rounds, ROUNDS, sizeof *rounds, compare);
  printf("wait best %.1f median %.1f ns\n", rounds[0], rounds[ROUNDS / 2]);
  exit(0);
}

int main(int argument_count, char **arguments) {
  long count = argument_count == 2 ? atol(arguments[1]) : 0;
  if (count <= 0) {
    fputs("usage: wait N\n", stderr);
    return 2;
  }
  asked = eventfd(0, 0);
  int loop = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  pthread_t thread;
  if (asked < 0 || loop < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, asked, &event) != 0 ||
      pthread_create(&thread, NULL, run_script, &count) != 0) {
    perror("wait: start");
    return 1;
  }
  for (;;) {
    uint64_t value;
    if (epoll_wait(loop, &event, 1, -1) != 1 || read(asked, &value, sizeof value) < 0) continue;
    pthread_mutex_lock(&answer.lock);
    answer.is_answered = true;
    pthread_mutex_unlock(&answer.lock);
    pthread_cond_signal(&answer.filled);
  }
}
