#ifndef CPOSIX_H
#define CPOSIX_H
// What Swift's Glibc module lacks: event descriptors, pidfds, the spawn attributes and the errors
// that come back to sockets.
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/wait.h>

/// A descriptor that becomes readable when the child ends (pidfd_open(2)); -1 and errno on failure.
int cposix_pidfd_open(pid_t pid);

/// Spawns `path` as the leader of a new process group with an empty signal mask, default signal
/// dispositions and no descriptors beyond 0 … 2, which become `input`, `output` and `errors`.
/// Returns 0 or an errno value, as posix_spawnp(3) does. `directory` may be NULL.
int cposix_spawn(pid_t *pid, const char *path, char *const argv[], char *const envp[],
                 const char *directory, int input, int output, int errors);

/// Reaps `pid` and gives its wait status; -1 and errno on failure, EAGAIN while it runs.
int cposix_reap(pid_t pid, int *status);

/// Waits for a child that was killed, and reaps it.
void cposix_reap_now(pid_t pid);

/// Raises the number of descriptors that the process may have to what it is allowed.
void cposix_raise_descriptor_limit(void);

/// Opens `name` beneath `directory` as openat(2) does; here since openat is variadic.
int cposix_openat(int directory, const char *name, int flags, mode_t mode);

/// Lets a timer descriptor become readable at that many nanoseconds of its clock; 0 disarms it.
void cposix_set_timer(int descriptor, int64_t nanoseconds);

/// Lets a timer descriptor of CLOCK_REALTIME become readable once when the clock is set, as it is
/// when the machine resumes from suspend (TFD_TIMER_CANCEL_ON_SET, timerfd_create(2)).
void cposix_watch_clock(int descriptor);

/// Whether a file lies in a file system whose files the kernel makes itself, such as /sys.
bool cposix_is_kernels_file(const char *path);

/// O_PATH of open(2), which needs _GNU_SOURCE.
extern const int cposix_open_path;

/// Locks the whole file by its open description (fcntl(2), F_OFD_SETLK) and notes this process in
/// it. Returns 0; 1 with the process that holds it; -1 and errno on failure.
int cposix_lock(int descriptor, pid_t *holder);

/// Listens at a path in the file system (unix(7)), mode 0600; close-on-exec and non-blocking.
/// Returns the descriptor; -1 and errno on failure: EADDRINUSE where somebody answers there, EEXIST
/// where something lies there that is no socket.
int cposix_listen(const char *path);

/// Connects to a path in the file system; close-on-exec. Connecting, each write and each read fail
/// with EAGAIN after that time, where it is not 0. -1 and errno on failure.
int cposix_connect(const char *path, int milliseconds);

/// Stores a byte that others may store too; what was stored before is seen before it.
static inline void cposix_store(void *place, uint8_t byte) {
  __atomic_store_n((uint8_t *)place, byte, __ATOMIC_RELEASE);
}

/// Sends one datagram to a path or, after an @, to a name in the abstract namespace; 0, or -1 and
/// errno, EAGAIN where it is not taken within 100 ms.
int cposix_tell_supervisor(const char *address, const void *bytes, size_t count);

/// Takes a client; close-on-exec and non-blocking. -1 and errno where there is none.
int cposix_accept(int descriptor);

/// The user that a client acts as (SO_PEERCRED); -1 where it cannot be told.
int64_t cposix_peer_user(int descriptor);

/// Makes a pipe whose ends are closed on exec; -1 and errno on failure.
int cposix_pipe(int ends[2]);

/// What an error of ICMP says that came back to a socket.
enum cposix_returned {
  CPOSIX_NOTHING_RETURNED,
  CPOSIX_NO_NETWORK,
  CPOSIX_NO_HOST,
  CPOSIX_NO_PORT,
  CPOSIX_FORBIDDEN,
};

/// Reads a struct sock_extended_err (IP_RECVERR of ip(7)), which need not be aligned; nothing where
/// it is cut short, is no error of ICMP, or only asks for smaller packets.
enum cposix_returned cposix_read_returned(const void *bytes, size_t size);

/// The size of that struct; the address of whoever sent the error comes after it.
extern const size_t cposix_returned_size;

/// Lets a socket hear nothing but what arrives over the loopback interface (SO_ATTACH_FILTER of
/// socket(7)); -1 and errno on failure.
int cposix_hear_loopback_only(int descriptor);

/// A function of a library, and where its address goes.
struct cposix_symbol {
  const char *name;
  void **place;
};

/// A library that is opened when it is first needed.
struct cposix_library {
  const char *name;
  /// What is needed of it; ends with a name of NULL.
  const struct cposix_symbol *symbols;
  /// Is called once when all is there, and returns 0 where that went well; may be NULL.
  int (*start)(void);
  int is_open;
};

/// Opens a library, where that has not been done; from any thread. Returns 0; ELIBACC where it or
/// one that it needs is not there, ELIBBAD where it lacks a function or does not start.
int cposix_open_library(struct cposix_library *library);

/// Names the calling thread; pthread_setname_np(3).
void cposix_name_thread(const char *name);

int cposix_exited(int status);
int cposix_exit_code(int status);
int cposix_term_signal(int status);
#endif
