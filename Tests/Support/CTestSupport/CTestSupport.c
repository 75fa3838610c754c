#define _GNU_SOURCE
#include "CTestSupport.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int support_enter_namespace(void) {
  if (unshare(CLONE_NEWNET)) return -1;
  int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
  int result = ioctl(descriptor, SIOCSIFFLAGS, &request);
  close(descriptor);
  return result;
}

int support_join_namespace(const char *path) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  int result = setns(descriptor, CLONE_NEWNET);
  close(descriptor);
  return result;
}

int support_enter_mounts(void) {
  if (unshare(CLONE_NEWNS)) return -1;
  return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

int support_run(const char *command) {
  int status = system(command);
  if (status == -1) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int support_is_privileged(void) {
  pid_t child = fork();
  if (child == 0) _exit(unshare(CLONE_NEWNET) ? 1 : 0);
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int support_make_tunnel(const char *name) {
  int descriptor = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return -1;
  struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
  snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
  return ioctl(descriptor, TUNSETIFF, &request);
}

int support_thread_id(void) { return gettid(); }

int support_threads_named(const char *name) {
  DIR *folder = opendir("/proc/self/task");
  int count = 0;
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    char path[300], text[64] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    FILE *file = fopen(path, "re");
    if (!file) continue;
    if (fgets(text, sizeof text, file)) text[strcspn(text, "\n")] = 0;
    fclose(file);
    if (!strcmp(text, name)) count++;
  }
  if (folder) closedir(folder);
  return count;
}
