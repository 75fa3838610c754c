#ifndef CNETLINK_H
#define CNETLINK_H
// The kernel's own headers of rtnetlink(7), and what of sockets is variadic or a macro.
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>

/// One datagram of a batch: where it lies in the storage, and whether it was longer than its slot.
typedef struct cnetlink_datagram {
  uint32_t length;
  uint32_t truncated;
} cnetlink_datagram;

/// Receives up to `count` datagrams without waiting, each into a slot of `slot` bytes of `storage`.
/// Returns how many came; -1 and errno where none did.
int cnetlink_receive_many(int descriptor, void *storage, size_t slot, unsigned count,
                          cnetlink_datagram *datagrams);
#endif
