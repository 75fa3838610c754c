// A USB modem without hardware: vmodem qmi|mbim LINK
//
// It plugs into the kernel's virtual host controller (vhci_hcd), so that the kernel's own driver
// (qmi_wwan or cdc_mbim) makes an interface for it. What the modem would send by radio comes out of
// the interface LINK: Ethernet frames for QMI, IP packets for MBIM. When this process ends, the
// modem is unplugged. It has no control channel: QMI and MBIM messages are taken and not answered.
//
// The protocol is that of Documentation/usb/usbip_protocol.rst.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <linux/usb/cdc.h>
#include <linux/usb/ch9.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define PACKED __attribute__((packed))

enum { SUBMIT = 1, UNLINK, SUBMITTED, UNLINKED };
enum { CONTROL = 0, NOTIFY = 1, RECEIVE = 2, SEND = 3 };

// What a message of either direction begins with; big-endian but for the setup packet.
struct message {
  uint32_t command, sequence, device, direction, endpoint;
  union {
    struct {
      uint32_t flags, length, start, packets, interval;
      struct usb_ctrlrequest setup;
    } submit;
    struct {
      uint32_t status, length, start, packets, errors, padding[2];
    } submitted;
    uint32_t unlinked;
  };
} PACKED;

// MARK: What the modem says it is

static struct usb_device_descriptor device = {
    .bLength = USB_DT_DEVICE_SIZE,
    .bDescriptorType = USB_DT_DEVICE,
    .bcdUSB = 0x200,
    .bMaxPacketSize0 = 64,
    .bNumConfigurations = 1,
};

#define ENDPOINT(ADDRESS, KIND, SIZE) \
  {USB_DT_ENDPOINT_SIZE, USB_DT_ENDPOINT, ADDRESS, KIND, SIZE, KIND == USB_ENDPOINT_XFER_INT ? 9 : 0}
#define INTERFACE(NUMBER, SETTING, ENDPOINTS, CLASS, SUBCLASS, PROTOCOL) \
  {USB_DT_INTERFACE_SIZE, USB_DT_INTERFACE, NUMBER, SETTING, ENDPOINTS, CLASS, SUBCLASS, PROTOCOL, 0}
#define CONFIGURATION(WHOLE, INTERFACES) \
  {USB_DT_CONFIG_SIZE, USB_DT_CONFIG, sizeof WHOLE, INTERFACES, 1, 0, USB_CONFIG_ATT_ONE, 250}

// The parts of usb_endpoint_descriptor that are not for audio alone.
struct endpoint {
  uint8_t length, type, address, attributes;
  uint16_t size;
  uint8_t interval;
} PACKED;

static const struct {
  struct usb_config_descriptor configuration;
  struct usb_interface_descriptor interface;
  struct endpoint notify, receive, send;
} PACKED qmi = {
    CONFIGURATION(qmi, 1),
    INTERFACE(0, 0, 3, USB_CLASS_VENDOR_SPEC, USB_SUBCLASS_VENDOR_SPEC, 0xff),
    ENDPOINT(USB_DIR_IN | NOTIFY, USB_ENDPOINT_XFER_INT, 8),
    ENDPOINT(USB_DIR_IN | RECEIVE, USB_ENDPOINT_XFER_BULK, 512),
    ENDPOINT(SEND, USB_ENDPOINT_XFER_BULK, 512),
};

static const struct {
  struct usb_config_descriptor configuration;
  struct usb_interface_assoc_descriptor association;
  struct usb_interface_descriptor control;
  struct usb_cdc_header_desc header;
  struct usb_cdc_union_desc both;
  struct usb_cdc_mbim_desc mbim;
  struct endpoint notify;
  struct usb_interface_descriptor idle, data;
  struct endpoint receive, send;
} PACKED mbim = {
    CONFIGURATION(mbim, 2),
    {sizeof mbim.association, USB_DT_INTERFACE_ASSOCIATION, 0, 2, USB_CLASS_COMM,
     USB_CDC_SUBCLASS_MBIM, USB_CDC_PROTO_NONE, 0},
    INTERFACE(0, 0, 1, USB_CLASS_COMM, USB_CDC_SUBCLASS_MBIM, USB_CDC_PROTO_NONE),
    {sizeof mbim.header, USB_DT_CS_INTERFACE, USB_CDC_HEADER_TYPE, 0x110},
    {sizeof mbim.both, USB_DT_CS_INTERFACE, USB_CDC_UNION_TYPE, 0, 1},
    {sizeof mbim.mbim, USB_DT_CS_INTERFACE, USB_CDC_MBIM_TYPE, 0x100, 512, 16, 128, 1500, 0x20},
    ENDPOINT(USB_DIR_IN | NOTIFY, USB_ENDPOINT_XFER_INT, 64),
    INTERFACE(1, 0, 0, USB_CLASS_CDC_DATA, 0, USB_CDC_MBIM_PROTO_NTB),
    INTERFACE(1, 1, 2, USB_CLASS_CDC_DATA, 0, USB_CDC_MBIM_PROTO_NTB),
    ENDPOINT(USB_DIR_IN | RECEIVE, USB_ENDPOINT_XFER_BULK, 512),
    ENDPOINT(SEND, USB_ENDPOINT_XFER_BULK, 512),
};

// The blocks in which MBIM carries packets: at most 16 KiB, without much alignment.
static const struct usb_cdc_ncm_ntb_parameters blocks = {
    sizeof blocks, USB_CDC_NCM_NTB16_SUPPORTED, 0x4000, 4, 0, 4, 0, 0x4000, 4, 0, 4, 0};

static bool is_mbim;

// Answers a request for what the modem is; the length of the answer, -1 for what it has not.
static int describe(const struct usb_ctrlrequest *setup, uint8_t *answer) {
  const void *found = 0;
  int length = 0;
  switch (setup->bRequestType << 8 | setup->bRequest) {
    case (USB_DIR_IN | USB_RECIP_DEVICE) << 8 | USB_REQ_GET_DESCRIPTOR:
      if (setup->wValue >> 8 == USB_DT_DEVICE) found = &device, length = sizeof device;
      if (setup->wValue >> 8 == USB_DT_CONFIG) {
        found = is_mbim ? (const void *)&mbim : &qmi;
        length = is_mbim ? sizeof mbim : sizeof qmi;
      }
      break;
    case (USB_DIR_IN | USB_TYPE_CLASS | USB_RECIP_INTERFACE) << 8 | USB_CDC_GET_NTB_PARAMETERS:
      found = &blocks, length = sizeof blocks;
      break;
    case (USB_DIR_IN | USB_TYPE_CLASS | USB_RECIP_INTERFACE) << 8 | USB_CDC_GET_NTB_INPUT_SIZE:
      found = &blocks.dwNtbInMaxSize, length = sizeof blocks.dwNtbInMaxSize;
      break;
    case (USB_DIR_IN | USB_RECIP_DEVICE) << 8 | USB_REQ_GET_STATUS:
    case (USB_DIR_IN | USB_RECIP_INTERFACE) << 8 | USB_REQ_GET_STATUS:
    case (USB_DIR_IN | USB_RECIP_ENDPOINT) << 8 | USB_REQ_GET_STATUS:
      found = "\0", length = 2;
      break;
  }
  if (!found) return -1;
  memcpy(answer, found, length);
  return length;
}

// MARK: The cable

static int cable;

static void fail(const char *what) {
  fprintf(stderr, "vmodem: %s: %s\n", what, strerror(errno));
  exit(1);
}

// Unplugged by the kernel: the end.
static void take(void *bytes, size_t length) {
  if (length > 0 && recv(cable, bytes, length, MSG_WAITALL) != (ssize_t)length) exit(0);
}

static void give(const void *bytes, size_t length) {
  if (send(cable, bytes, length, MSG_NOSIGNAL) != (ssize_t)length) exit(0);
}

// Answers a request; of one that sends to the modem the length alone.
static void answer(const struct message *request, int status, const void *bytes, int length) {
  struct message reply = {.command = htonl(SUBMITTED), .sequence = request->sequence};
  reply.submitted.status = htonl(status);
  reply.submitted.length = htonl(length);
  give(&reply, sizeof reply);
  if (bytes) give(bytes, length);
}

static void answer_control(const struct message *request) {
  const struct usb_ctrlrequest *setup = &request->submit.setup;
  if (!(setup->bRequestType & USB_DIR_IN)) {
    answer(request, 0, 0, ntohl(request->submit.length));
    return;
  }
  uint8_t bytes[512];
  int length = describe(setup, bytes);
  if (length > setup->wLength) length = setup->wLength;
  if (length < 0) answer(request, -EPIPE, 0, 0);
  else answer(request, 0, bytes, length);
}

// Requests of the kernel for what the modem receives or notifies, until there is something.
static struct message waiting[64];
static int waiting_count;

static void forget(int position) {
  waiting_count--;
  memmove(waiting + position, waiting + position + 1,
          (waiting_count - position) * sizeof *waiting);
}

static void unlink_request(const struct message *request) {
  struct message reply = {.command = htonl(UNLINKED), .sequence = request->sequence};
  for (int i = 0; i < waiting_count; i++) {
    if (waiting[i].sequence != request->unlinked) continue;
    reply.submitted.status = htonl(-ECONNRESET);
    forget(i);
    break;
  }
  give(&reply, sizeof reply);
}

static int first_receiver(void) {
  for (int i = 0; i < waiting_count; i++)
    if (ntohl(waiting[i].endpoint) == RECEIVE) return i;
  return -1;
}

// MARK: The radio

static int radio;

// A block with one packet in it; usb_cdc_ncm_ndp16 ends with a pointer that is empty.
struct block {
  struct usb_cdc_ncm_nth16 header;
  struct usb_cdc_ncm_ndp16 pointers;
  struct usb_cdc_ncm_dpe16 packet, end;
} PACKED;

static void send_packet(const uint8_t *bytes, size_t length) {
  if (write(radio, bytes, length) < 0) perror("vmodem: radio");
}

// Sends the packets of a block whose pointers lie anywhere in it.
static void send_block(const uint8_t *bytes, size_t length) {
  struct usb_cdc_ncm_nth16 header;
  struct usb_cdc_ncm_ndp16 pointers;
  if (length < sizeof header) return;
  memcpy(&header, bytes, sizeof header);
  if (header.wNdpIndex + sizeof pointers > length) return;
  memcpy(&pointers, bytes + header.wNdpIndex, sizeof pointers);
  size_t end = header.wNdpIndex + pointers.wLength;
  for (size_t at = header.wNdpIndex + sizeof pointers; at + 4 <= end && at + 4 <= length; at += 4) {
    struct usb_cdc_ncm_dpe16 packet;
    memcpy(&packet, bytes + at, sizeof packet);
    if (packet.wDatagramIndex == 0 || packet.wDatagramIndex + packet.wDatagramLength > length)
      return;
    send_packet(bytes + packet.wDatagramIndex, packet.wDatagramLength);
  }
}

// Hands what came by radio to the first request that waits for it.
static void receive(int receiver) {
  static uint16_t sequence;
  uint8_t bytes[sizeof(struct block) + 2048];
  size_t start = is_mbim ? sizeof(struct block) : 0;
  ssize_t length = read(radio, bytes + start, sizeof bytes - start);
  if (length <= 0) return;
  if (is_mbim) {
    struct block block = {
        .header = {USB_CDC_NCM_NTH16_SIGN, sizeof block.header, sequence++, start + length,
                   sizeof block.header},
        .pointers = {USB_CDC_MBIM_NDP16_IPS_SIGN, sizeof block - sizeof block.header, 0},
        .packet = {start, length},
    };
    memcpy(bytes, &block, sizeof block);
  }
  answer(&waiting[receiver], 0, bytes, start + length);
  forget(receiver);
}

// MARK: -

static void take_request(void) {
  static uint8_t bytes[65536];
  struct message request;
  take(&request, sizeof request);
  if (ntohl(request.command) == UNLINK) {
    unlink_request(&request);
    return;
  }
  bool is_in = ntohl(request.direction);
  uint32_t length = ntohl(request.submit.length), endpoint = ntohl(request.endpoint);
  if (!is_in && length > sizeof bytes) fail("request too long");
  if (!is_in) take(bytes, length);
  if (endpoint == CONTROL) {
    answer_control(&request);
  } else if (is_in) {
    if (waiting_count == 64) fail("too many requests");
    waiting[waiting_count++] = request;
  } else {
    if (is_mbim) send_block(bytes, length);
    else send_packet(bytes, length);
    answer(&request, 0, 0, length);
  }
}

static int open_radio(const char *name) {
  struct ifreq request = {.ifr_flags = (is_mbim ? IFF_TUN : IFF_TAP) | IFF_NO_PI};
  strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  int descriptor = open("/dev/net/tun", O_RDWR);
  if (descriptor < 0 || ioctl(descriptor, TUNSETIFF, &request) < 0) fail(name);
  return descriptor;
}

// Plugs one end of a socket into the first port of the host controller, at high speed.
static int plug_in(void) {
  const char *path = "/sys/devices/platform/vhci_hcd.0/attach";
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0) fail("socketpair");
  int port = open(path, O_WRONLY);
  if (port < 0 || dprintf(port, "0 %d 65537 %d", ends[0], USB_SPEED_HIGH) < 0) fail(path);
  close(port);
  close(ends[0]);
  return ends[1];
}

int main(int count, char **arguments) {
  is_mbim = count == 3 && !strcmp(arguments[1], "mbim");
  if (count != 3 || (!is_mbim && strcmp(arguments[1], "qmi"))) {
    fputs("usage: vmodem qmi|mbim LINK\n", stderr);
    return 2;
  }
  // A Quectel EC25, which qmi_wwan knows by number; cdc_mbim knows its devices by class.
  device.idVendor = is_mbim ? 0x1199 : 0x2c7c;
  device.idProduct = is_mbim ? 0x9999 : 0x0125;
  if (is_mbim) device.bDeviceClass = USB_CLASS_MISC, device.bDeviceSubClass = 2,
               device.bDeviceProtocol = 1;
  radio = open_radio(arguments[2]);
  cable = plug_in();
  for (;;) {
    int receiver = first_receiver();
    struct pollfd events[] = {{cable, POLLIN, 0}, {receiver < 0 ? -1 : radio, POLLIN, 0}};
    if (poll(events, 2, -1) < 0) fail("poll");
    if (events[1].revents & POLLIN) receive(receiver);
    if (events[0].revents) take_request();
  }
}
