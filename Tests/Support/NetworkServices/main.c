// Stands in for NetworkManager and ModemManager on the system's bus, with the objects, properties
// and signals of theirs that reach reads. Takes the names, and offers what its standard input says:
//   device N INTERFACE IPINTERFACE TYPE METERED HARDWARE-ADDRESS    "-" for an empty text
//   metered N VALUE
//   bearer INTERFACE
// It answers "ok" to each line, and ends with its input.
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>
#include <sys/epoll.h>
#include <unistd.h>

#define NM "org.freedesktop.NetworkManager"
#define NM_PATH "/org/freedesktop/NetworkManager"
#define MM "org.freedesktop.ModemManager1"
#define MM_PATH "/org/freedesktop/ModemManager1"

static sd_bus *bus;

static int check(int result, const char *what) {
  if (result < 0) {
    fprintf(stderr, "network-services: %s: %s\n", what, strerror(-result));
    exit(1);
  }
  return result;
}

typedef struct {
  char path[80], interface[32], ip_interface[32], address[32];
  uint32_t type, metered;
} Device;

enum { most_devices = 16 };
static Device devices[most_devices];
static char bearer_interface[32];

static int text_at(sd_bus_message *reply, size_t offset, void *object) {
  return sd_bus_message_append(reply, "s", (char *)object + offset);
}

#define TEXT(field)                                                                           \
  static int get_##field(sd_bus *b, const char *path, const char *interface,                  \
                         const char *property, sd_bus_message *reply, void *object,           \
                         sd_bus_error *error) {                                               \
    (void)b, (void)path, (void)interface, (void)property, (void)error;                        \
    return text_at(reply, offsetof(Device, field), object);                                   \
  }
TEXT(interface)
TEXT(ip_interface)
TEXT(address)

#define CHANGES SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE
static const sd_bus_vtable device_table[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_PROPERTY("Interface", "s", get_interface, 0, CHANGES),
    SD_BUS_PROPERTY("IpInterface", "s", get_ip_interface, 0, CHANGES),
    SD_BUS_PROPERTY("HwAddress", "s", get_address, 0, CHANGES),
    SD_BUS_PROPERTY("DeviceType", "u", NULL, offsetof(Device, type), CHANGES),
    SD_BUS_PROPERTY("Metered", "u", NULL, offsetof(Device, metered), CHANGES),
    SD_BUS_VTABLE_END};

static int get_devices(sd_bus_message *call, void *context, sd_bus_error *error) {
  (void)context, (void)error;
  sd_bus_message *reply;
  check(sd_bus_message_new_method_return(call, &reply), "answer");
  check(sd_bus_message_open_container(reply, 'a', "o"), "answer");
  for (int number = 0; number < most_devices; number++)
    if (devices[number].path[0])
      check(sd_bus_message_append(reply, "o", devices[number].path), "answer");
  check(sd_bus_message_close_container(reply), "answer");
  return sd_bus_send(NULL, reply, NULL);
}

static const sd_bus_vtable manager_table[] = {
    SD_BUS_VTABLE_START(0), SD_BUS_METHOD("GetDevices", "", "ao", get_devices, 0),
    SD_BUS_SIGNAL("DeviceAdded", "o", 0), SD_BUS_VTABLE_END};

static int get_bearers(sd_bus *b, const char *path, const char *interface, const char *property,
                       sd_bus_message *reply, void *context, sd_bus_error *error) {
  (void)b, (void)path, (void)interface, (void)property, (void)context, (void)error;
  if (!bearer_interface[0]) return sd_bus_message_append(reply, "ao", 0);
  return sd_bus_message_append(reply, "ao", 1, MM_PATH "/Bearer/0");
}

static int get_bearer(sd_bus *b, const char *path, const char *interface, const char *property,
                      sd_bus_message *reply, void *context, sd_bus_error *error) {
  (void)b, (void)path, (void)interface, (void)property, (void)context, (void)error;
  return sd_bus_message_append(reply, "s", bearer_interface);
}

static const sd_bus_vtable modem_table[] = {
    SD_BUS_VTABLE_START(0), SD_BUS_PROPERTY("Bearers", "ao", get_bearers, 0, CHANGES),
    SD_BUS_VTABLE_END};
static const sd_bus_vtable bearer_table[] = {
    SD_BUS_VTABLE_START(0), SD_BUS_PROPERTY("Interface", "s", get_bearer, 0, CHANGES),
    SD_BUS_VTABLE_END};

static char *text(char *word) { return strcmp(word, "-") ? word : ""; }

static void take_device(char *words) {
  Device device = {0};
  char interface[32], ip_interface[32], address[32];
  unsigned number;
  if (sscanf(words, "%u %31s %31s %u %u %31s", &number, interface, ip_interface, &device.type,
             &device.metered, address) != 6 || number >= most_devices)
    check(-EINVAL, words);
  int is_new = !devices[number].path[0];
  strcpy(device.interface, text(interface));
  strcpy(device.ip_interface, text(ip_interface));
  strcpy(device.address, text(address));
  snprintf(device.path, sizeof device.path, NM_PATH "/Devices/%u", number);
  devices[number] = device;
  if (is_new) {
    check(sd_bus_add_object_vtable(bus, NULL, devices[number].path, NM ".Device", device_table,
                                   &devices[number]), "add a device");
    check(sd_bus_emit_signal(bus, NM_PATH, NM, "DeviceAdded", "o", devices[number].path),
          "tell of a device");
  } else {
    check(sd_bus_emit_properties_changed(bus, devices[number].path, NM ".Device", "IpInterface",
                                         "Interface", "DeviceType", "HwAddress", "Metered", NULL),
          "tell of a change");
  }
}

static void take_metered(char *words) {
  unsigned number, value;
  if (sscanf(words, "%u %u", &number, &value) != 2 || number >= most_devices)
    check(-EINVAL, words);
  devices[number].metered = value;
  check(sd_bus_emit_properties_changed(bus, devices[number].path, NM ".Device", "Metered", NULL),
        "tell of a change");
}

static void take_bearer(char *words) {
  snprintf(bearer_interface, sizeof bearer_interface, "%s", text(words));
  check(sd_bus_emit_properties_changed(bus, MM_PATH "/Modem/0", MM ".Modem", "Bearers", NULL),
        "tell of a change");
}

static int take_line(sd_event_source *source, int descriptor, uint32_t events, void *context) {
  (void)source, (void)descriptor, (void)events;
  char line[200];
  if (!fgets(line, sizeof line, stdin)) return sd_event_exit(context, 0);
  line[strcspn(line, "\n")] = 0;
  if (!strncmp(line, "device ", 7)) take_device(line + 7);
  else if (!strncmp(line, "metered ", 8)) take_metered(line + 8);
  else if (!strncmp(line, "bearer ", 7)) take_bearer(line + 7);
  else check(-EINVAL, line);
  check(sd_bus_flush(bus), "tell");
  puts("ok");
  return 0;
}

int main(void) {
  sd_event *event;
  // A line at a time: what is buffered would not wake the loop again.
  setvbuf(stdin, NULL, _IONBF, 0);
  setvbuf(stdout, NULL, _IOLBF, 0);
  check(sd_event_default(&event), "make a loop");
  check(sd_bus_open_system(&bus), "connect to the system's bus");
  check(sd_bus_add_object_vtable(bus, NULL, NM_PATH, NM, manager_table, NULL), "offer");
  check(sd_bus_add_object_manager(bus, NULL, MM_PATH), "offer");
  check(sd_bus_add_object_vtable(bus, NULL, MM_PATH "/Modem/0", MM ".Modem", modem_table, NULL),
        "offer");
  check(sd_bus_add_object_vtable(bus, NULL, MM_PATH "/Bearer/0", MM ".Bearer", bearer_table, NULL),
        "offer");
  check(sd_bus_request_name(bus, NM, 0), "take the name of NetworkManager");
  check(sd_bus_request_name(bus, MM, 0), "take the name of ModemManager");
  check(sd_bus_attach_event(bus, event, 0), "attach");
  check(sd_event_add_io(event, NULL, STDIN_FILENO, EPOLLIN, take_line, event), "read");
  puts("ok");
  return sd_event_loop(event) < 0;
}
