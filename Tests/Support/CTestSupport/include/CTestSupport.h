#ifndef CTESTSUPPORT_H
#define CTESTSUPPORT_H
// What tests need of Linux beyond Swift's Glibc module.

/// Moves the calling thread, and what it starts from now on, into a network namespace of its own
/// and switches its loopback on. Returns 0, or -1 and errno.
int support_enter_namespace(void);

/// Moves the calling thread, and what it starts from now on, into the network namespace that a file
/// stands for. Returns 0, or -1 and errno.
int support_join_namespace(const char *path);

/// Gives the calling thread, and what it starts from now on, mounts of its own. Returns 0, or -1 and
/// errno.
int support_enter_mounts(void);

/// Runs a shell command where the calling thread is; returns its exit code, 128 + a signal, or -1.
int support_run(const char *command);

/// Whether network namespaces can be made; does not enter one.
int support_is_privileged(void);

/// Makes a tun interface that has a carrier until this process ends. Returns 0, or -1 and errno.
int support_make_tunnel(const char *name);

/// The kernel's number of the calling thread.
int support_thread_id(void);

/// How many threads of this process have that name.
int support_threads_named(const char *name);
#endif
