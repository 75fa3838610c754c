// Stands in for a desktop's notification server on the session's bus:
//   notification-server [CAPABILITY…]
// It prints "ok" when it has the name, and a line for each notification: the id that it replaces,
// urgency, timeout, title and body with "|" between them and "/" for each line end. Each gets a new
// id from 7 on, or that which it replaces. A title of "refuse" is answered by an error.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>

#define NAME "org.freedesktop.Notifications"

static char **capabilities;

static int check(int result, const char *what) {
  if (result < 0) {
    fprintf(stderr, "notification-server: %s: %s\n", what, strerror(-result));
    exit(1);
  }
  return result;
}

static int tell_capabilities(sd_bus_message *call, void *context, sd_bus_error *error) {
  (void)context, (void)error;
  sd_bus_message *reply;
  check(sd_bus_message_new_method_return(call, &reply), "answer");
  check(sd_bus_message_append_strv(reply, capabilities), "answer");
  int result = sd_bus_send(NULL, reply, NULL);
  sd_bus_message_unref(reply);
  return result;
}

static int notify(sd_bus_message *call, void *context, sd_bus_error *error) {
  (void)context;
  static uint32_t last = 6;
  const char *application, *icon, *title, *body, *key;
  uint32_t replaced;
  int32_t timeout;
  uint8_t urgency = 99;
  check(sd_bus_message_read(call, "susss", &application, &replaced, &icon, &title, &body), "read");
  check(sd_bus_message_skip(call, "as"), "read the actions");
  check(sd_bus_message_enter_container(call, 'a', "{sv}"), "read the hints");
  while (check(sd_bus_message_enter_container(call, 'e', "sv"), "read a hint") > 0) {
    check(sd_bus_message_read(call, "s", &key), "read a hint");
    if (strcmp(key, "urgency")) check(sd_bus_message_skip(call, "v"), "read a hint");
    else check(sd_bus_message_read(call, "v", "y", &urgency), "read the urgency");
    check(sd_bus_message_exit_container(call), "read a hint");
  }
  check(sd_bus_message_exit_container(call), "read the hints");
  check(sd_bus_message_read(call, "i", &timeout), "read the timeout");
  if (!strcmp(title, "refuse")) return sd_bus_error_set(error, NAME ".Error.No", "no");
  printf("%u|%u|%d|%s|", replaced, urgency, timeout, title);
  for (; *body; body++) putchar(*body == '\n' ? '/' : *body);
  putchar('\n');
  fflush(stdout);
  return sd_bus_reply_method_return(call, "u", replaced ? replaced : ++last);
}

static const sd_bus_vtable table[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("GetCapabilities", "", "as", tell_capabilities, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("Notify", "susssasa{sv}i", "u", notify, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

int main(int count, char **words) {
  (void)count;
  sd_bus *bus;
  capabilities = words + 1;
  check(sd_bus_open_user(&bus), "connect to the session's bus");
  check(sd_bus_add_object_vtable(bus, NULL, "/org/freedesktop/Notifications", NAME, table, NULL),
        "offer");
  check(sd_bus_request_name(bus, NAME, 0), "take the name");
  puts("ok");
  fflush(stdout);
  while (1) {
    if (check(sd_bus_process(bus, NULL), "process") == 0)
      check(sd_bus_wait(bus, UINT64_MAX), "wait");
  }
}
