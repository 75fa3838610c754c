#ifndef CNETLINK_H
#define CNETLINK_H
// The kernel's own headers of rtnetlink(7) and of the families of generic netlink that are asked,
// and what of sockets is variadic or a macro.
// netinet/in.h comes first: then linux/in6.h, which if_tunnel.h wants, leaves its structs to it.
#include <netinet/in.h>
#include <linux/genetlink.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/if_tunnel.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/nl80211.h>
#include <linux/rtnetlink.h>
#include <linux/wireguard.h>
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
