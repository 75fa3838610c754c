#define _GNU_SOURCE
#include "CPosix.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/errqueue.h>
#include <linux/filter.h>
#include <linux/magic.h>
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

int cposix_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

static int describe_child(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes,
                          const char *directory, const int streams[3]) {
  int error = 0;
  for (int target = 0; target < 3 && !error; target++)
    error = posix_spawn_file_actions_adddup2(actions, streams[target], target);
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(actions, 3);
  if (!error && directory) error = posix_spawn_file_actions_addchdir_np(actions, directory);
  if (error) return error;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setsigdefault(attributes, &all);
  posix_spawnattr_setpgroup(attributes, 0);
  return posix_spawnattr_setflags(
      attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

int cposix_spawn(pid_t *pid, const char *path, char *const argv[], char *const envp[],
                 const char *directory, int input, int output, int errors) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (!error) {
    error = describe_child(&actions, &attributes, directory, (int[3]){input, output, errors});
    if (!error) error = posix_spawnp(pid, path, &actions, &attributes, argv, envp);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

int cposix_reap(pid_t pid, int *status) {
  pid_t reaped;
  do reaped = waitpid(pid, status, WNOHANG);
  while (reaped < 0 && errno == EINTR);
  if (reaped == pid) return 0;
  if (reaped == 0) errno = EAGAIN;
  return -1;
}

void cposix_reap_now(pid_t pid) {
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
}

void cposix_raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int cposix_openat(int directory, const char *name, int flags, mode_t mode) {
  return openat(directory, name, flags, mode);
}

void cposix_set_timer(int descriptor, int64_t nanoseconds) {
  struct itimerspec setting = {0};
  setting.it_value.tv_sec = nanoseconds / 1000000000;
  setting.it_value.tv_nsec = nanoseconds % 1000000000;
  timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &setting, NULL);
}

void cposix_watch_clock(int descriptor) {
  // A time that no machine will see.
  struct itimerspec never = {.it_value.tv_sec = INT64_C(1) << 33};
  timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

static int socket_for(const char *path, struct sockaddr_un *address, int kind) {
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address->sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(address->sun_path, path);
  return socket(AF_UNIX, kind | SOCK_CLOEXEC, 0);
}

static int local_socket(const char *path, struct sockaddr_un *address, int flags) {
  return socket_for(path, address, SOCK_STREAM | flags);
}

static int close_with_error(int descriptor) {
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

int cposix_connect(const char *path, int milliseconds) {
  struct sockaddr_un address;
  int descriptor = local_socket(path, &address, 0);
  if (descriptor < 0) return -1;
  // None is the default of both.
  struct timeval patience = {milliseconds / 1000, milliseconds % 1000 * 1000};
  setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
  return close_with_error(descriptor);
}

int cposix_tell_supervisor(const char *path, const void *bytes, size_t count) {
  struct sockaddr_un address;
  int descriptor = socket_for(path, &address, SOCK_DGRAM);
  if (descriptor < 0) return -1;
  // The name of an abstract address ends with the address, not with a NUL.
  socklen_t length = offsetof(struct sockaddr_un, sun_path) + strlen(path);
  if (path[0] == '@') address.sun_path[0] = 0;
  struct timeval patience = {.tv_usec = 100000};
  setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const struct sockaddr *place = (const struct sockaddr *)&address;
  if (sendto(descriptor, bytes, count, MSG_NOSIGNAL, place, length) < 0) {
    return close_with_error(descriptor);
  }
  close(descriptor);
  return 0;
}

int cposix_listen(const char *path) {
  int other = cposix_connect(path, 0);
  if (other >= 0) {
    close(other);
    errno = EADDRINUSE;
    return -1;
  }
  struct sockaddr_un address;
  int descriptor = local_socket(path, &address, SOCK_NONBLOCK);
  if (descriptor < 0) return -1;
  // A socket that a killed daemon left behind answers nobody; anything else is somebody's.
  struct stat status;
  if (lstat(path, &status) == 0) {
    errno = EEXIST;
    if (!S_ISSOCK(status.st_mode) || unlink(path) != 0) return close_with_error(descriptor);
  }
  mode_t before = umask(0177);
  int result = bind(descriptor, (struct sockaddr *)&address, sizeof address);
  umask(before);
  if (result == 0 && listen(descriptor, 8) == 0) return descriptor;
  return close_with_error(descriptor);
}

int cposix_accept(int descriptor) {
  return accept4(descriptor, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int64_t cposix_peer_user(int descriptor) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
  return peer.uid;
}

const int cposix_open_path = O_PATH;

int cposix_lock(int descriptor, pid_t *holder) {
  char text[24] = {0};
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(descriptor, F_OFD_SETLK, &whole) == 0) {
    int length = snprintf(text, sizeof text, "%d\n", (int)getpid());
    if (ftruncate(descriptor, 0) || pwrite(descriptor, text, (size_t)length, 0) != length) return -1;
    return 0;
  }
  if (errno != EAGAIN && errno != EACCES) return -1;
  // A lock of an open description names no process, so the file does.
  if (pread(descriptor, text, sizeof text - 1, 0) < 0) return -1;
  *holder = (pid_t)strtol(text, NULL, 10);
  return 1;
}

int cposix_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

// RFC 792, RFC 1812.
static enum cposix_returned read_icmp(int type, int code) {
  switch (type) {
  case ICMP_DEST_UNREACH:
    switch (code) {
    case ICMP_FRAG_NEEDED: return CPOSIX_NOTHING_RETURNED;
    case ICMP_NET_UNREACH:
    case ICMP_NET_UNKNOWN:
    case ICMP_NET_UNR_TOS: return CPOSIX_NO_NETWORK;
    case ICMP_HOST_UNREACH:
    case ICMP_HOST_UNKNOWN:
    case ICMP_HOST_ISOLATED:
    case ICMP_HOST_UNR_TOS: return CPOSIX_NO_HOST;
    case ICMP_PORT_UNREACH: return CPOSIX_NO_PORT;
    default: return CPOSIX_FORBIDDEN;
    }
  case ICMP_TIME_EXCEEDED: return CPOSIX_NO_NETWORK;
  case ICMP_PARAMETERPROB: return CPOSIX_FORBIDDEN;
  default: return CPOSIX_NOTHING_RETURNED;
  }
}

// RFC 4443.
static enum cposix_returned read_icmp6(int type, int code) {
  switch (type) {
  case ICMP6_DST_UNREACH:
    switch (code) {
    case ICMP6_DST_UNREACH_NOROUTE:
    case ICMP6_DST_UNREACH_BEYONDSCOPE: return CPOSIX_NO_NETWORK;
    case ICMP6_DST_UNREACH_ADDR: return CPOSIX_NO_HOST;
    case ICMP6_DST_UNREACH_NOPORT: return CPOSIX_NO_PORT;
    default: return CPOSIX_FORBIDDEN;
    }
  case ICMP6_TIME_EXCEEDED: return CPOSIX_NO_NETWORK;
  case ICMP6_PARAM_PROB: return CPOSIX_FORBIDDEN;
  default: return CPOSIX_NOTHING_RETURNED;
  }
}

const size_t cposix_returned_size = sizeof(struct sock_extended_err);

enum cposix_returned cposix_read_returned(const void *bytes, size_t size) {
  struct sock_extended_err error;
  if (size < sizeof error) return CPOSIX_NOTHING_RETURNED;
  memcpy(&error, bytes, sizeof error);
  switch (error.ee_origin) {
  case SO_EE_ORIGIN_ICMP: return read_icmp(error.ee_type, error.ee_code);
  case SO_EE_ORIGIN_ICMP6: return read_icmp6(error.ee_type, error.ee_code);
  default: return CPOSIX_NOTHING_RETURNED;
  }
}

int cposix_hear_loopback_only(int descriptor) {
  // In every network namespace the kernel gives loopback the number 1 (LOOPBACK_IFINDEX).
  struct sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)(SKF_AD_OFF + SKF_AD_IFINDEX)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
      BPF_STMT(BPF_RET | BPF_K, 0),
  };
  struct sock_fprog filter = {sizeof program / sizeof *program, program};
  return setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}

static int load(struct cposix_library *library) {
  void *handle = dlopen(library->name, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return ELIBACC;
  for (const struct cposix_symbol *symbol = library->symbols; symbol->name; symbol++) {
    *symbol->place = dlsym(handle, symbol->name);
    if (*symbol->place) continue;
    dlclose(handle);
    return ELIBBAD;
  }
  return library->start && library->start() != 0 ? ELIBBAD : 0;
}

int cposix_open_library(struct cposix_library *library) {
  // Guards every library, whose functions are not written again once it is open.
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  int error = library->is_open ? 0 : load(library);
  library->is_open = !error;
  pthread_mutex_unlock(&mutex);
  return error;
}

void cposix_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int cposix_exited(int status) { return WIFEXITED(status); }
int cposix_exit_code(int status) { return WEXITSTATUS(status); }
int cposix_term_signal(int status) { return WTERMSIG(status); }

// Its number stands in no header.
#define CONFIGFS_MAGIC 0x62656570

bool cposix_is_kernels_file(const char *path) {
  struct statfs system;
  if (statfs(path, &system) != 0) return false;
  switch (system.f_type) {
  case SYSFS_MAGIC:
  case PROC_SUPER_MAGIC:
  case CGROUP_SUPER_MAGIC:
  case CGROUP2_SUPER_MAGIC:
  case DEBUGFS_MAGIC:
  case TRACEFS_MAGIC:
  case SECURITYFS_MAGIC:
  case SELINUX_MAGIC:
  case SMACK_MAGIC:
  case EFIVARFS_MAGIC:
  case PSTOREFS_MAGIC:
  case CONFIGFS_MAGIC: return true;
  default: return false;
  }
}
