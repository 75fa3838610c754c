// The way from the kernel's messages to a verdict on the default route; rtnetlink(7).
#ifndef KERNEL_H
#define KERNEL_H
#include "verdict.h"

// Opens the sockets; exits where they cannot be had.
void kernel_open(void);

// Waits until the kernel has said something, and reads it to the end.
void kernel_wait(void);

// Asks for links, addresses and routes, and judges them; the source address stays empty.
struct verdict kernel_judge(void);

// Asks which source address packets along the verdict's path carry.
void kernel_find_source(struct verdict *verdict);
#endif
