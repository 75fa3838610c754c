#define _GNU_SOURCE
#include <sys/socket.h>

#include "CNetlink.h"

enum { MOST_DATAGRAMS = 64 };

int cnetlink_receive_many(int descriptor, void *storage, size_t slot, unsigned count,
                          cnetlink_datagram *datagrams) {
  struct mmsghdr messages[MOST_DATAGRAMS] = {0};
  struct iovec vectors[MOST_DATAGRAMS];
  if (count > MOST_DATAGRAMS) count = MOST_DATAGRAMS;
  for (unsigned index = 0; index < count; index++) {
    vectors[index] = (struct iovec){(char *)storage + index * slot, slot};
    messages[index].msg_hdr.msg_iov = &vectors[index];
    messages[index].msg_hdr.msg_iovlen = 1;
  }
  int received = recvmmsg(descriptor, messages, count, MSG_DONTWAIT, NULL);
  for (int index = 0; index < received; index++) {
    datagrams[index].length = messages[index].msg_len;
    datagrams[index].truncated = (messages[index].msg_hdr.msg_flags & MSG_TRUNC) != 0;
  }
  return received;
}
