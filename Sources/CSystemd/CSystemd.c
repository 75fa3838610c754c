#define _GNU_SOURCE
#include "CSystemd.h"

#include <CPosix.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define FUNCTIONS(each)                                                                      \
  each(open_system) each(new) each(set_address) each(set_bus_client) each(start)             \
  each(close) each(unref) each(get_fd) each(get_events) each(get_timeout) each(process)      \
  each(wait) each(call_async) each(add_match_async) each(message_new_method_call)            \
  each(message_set_auto_start) each(message_append_basic) each(message_unref)                \
  each(message_open_container) each(message_close_container)                                 \
  each(message_get_error) each(message_get_path) each(message_peek_type)                     \
  each(message_read_basic) each(message_enter_container) each(message_exit_container)

#define POINTER(name) typeof(sd_bus_##name) *name;
static struct {
  FUNCTIONS(POINTER)
} bus_functions;

#define SYMBOL(name) {"sd_bus_" #name, (void **)&bus_functions.name},
static const struct cposix_symbol symbols[] = {FUNCTIONS(SYMBOL){NULL, NULL}};

int csystemd_has_system_bus(void) {
  return getenv("DBUS_SYSTEM_BUS_ADDRESS") || access("/run/dbus/system_bus_socket", F_OK) == 0;
}

int csystemd_open(void) {
  // The number is the library's ABI, which has stood since systemd 209.
  static struct cposix_library library = {"libsystemd.so.0", symbols, NULL, 0};
  return cposix_open_library(&library);
}

static int connect_to(sd_bus **bus, const char *address) {
  int result = bus_functions.new(bus);
  if (result < 0) return result;
  result = bus_functions.set_address(*bus, address);
  if (result >= 0) result = bus_functions.set_bus_client(*bus, 1);
  if (result >= 0) result = bus_functions.start(*bus);
  if (result < 0) bus_functions.unref(*bus);
  return result;
}

int csystemd_bus_connect(sd_bus **bus, const char *address) {
  return address ? connect_to(bus, address) : bus_functions.open_system(bus);
}

void csystemd_bus_close(sd_bus *bus) {
  bus_functions.close(bus);
  bus_functions.unref(bus);
}

int csystemd_bus_descriptor(sd_bus *bus) { return bus_functions.get_fd(bus); }

int csystemd_bus_interest(sd_bus *bus) {
  int events = bus_functions.get_events(bus);
  if (events < 0) return events;
  return (events & POLLIN ? 1 : 0) | (events & POLLOUT ? 2 : 0);
}

uint64_t csystemd_bus_patience(sd_bus *bus) {
  uint64_t end;
  if (bus_functions.get_timeout(bus, &end) < 0 || end == UINT64_MAX) return UINT64_MAX;
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  uint64_t now = (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
  return end > now ? end - now : 0;
}

int csystemd_bus_process(sd_bus *bus) { return bus_functions.process(bus, NULL); }
int csystemd_bus_wait(sd_bus *bus, uint64_t microseconds) {
  return bus_functions.wait(bus, microseconds);
}

int csystemd_call_new(sd_bus *bus, sd_bus_message **call, const char *destination,
                      const char *path, const char *interface, const char *member, int may_start) {
  int result =
      bus_functions.message_new_method_call(bus, call, destination, path, interface, member);
  return result < 0 ? result : bus_functions.message_set_auto_start(*call, may_start);
}

int csystemd_message_append_string(sd_bus_message *message, const char *text) {
  return bus_functions.message_append_basic(message, SD_BUS_TYPE_STRING, text);
}

int csystemd_message_append(sd_bus_message *message, char type, const void *value) {
  return bus_functions.message_append_basic(message, type, value);
}

int csystemd_message_open(sd_bus_message *message, char type, const char *contents) {
  return bus_functions.message_open_container(message, type, contents);
}

int csystemd_message_close(sd_bus_message *message) {
  return bus_functions.message_close_container(message);
}

int csystemd_call_send(sd_bus *bus, sd_bus_message *call, sd_bus_message_handler_t handler,
                       void *context, uint64_t timeout) {
  return bus_functions.call_async(bus, NULL, call, handler, context, timeout);
}

int csystemd_bus_match(sd_bus *bus, const char *rule, sd_bus_message_handler_t handler,
                       void *context) {
  return bus_functions.add_match_async(bus, NULL, rule, handler, NULL, context);
}

void csystemd_message_release(sd_bus_message *message) { bus_functions.message_unref(message); }

const char *csystemd_message_error(sd_bus_message *message) {
  const sd_bus_error *error = bus_functions.message_get_error(message);
  return error ? error->name : NULL;
}

const char *csystemd_message_path(sd_bus_message *message) {
  return bus_functions.message_get_path(message);
}

int csystemd_message_peek(sd_bus_message *message, char *type, const char **contents) {
  return bus_functions.message_peek_type(message, type, contents);
}

int csystemd_message_read(sd_bus_message *message, char type, void *value) {
  return bus_functions.message_read_basic(message, type, value);
}

int csystemd_message_enter(sd_bus_message *message, char type, const char *contents) {
  return bus_functions.message_enter_container(message, type, contents);
}

int csystemd_message_exit(sd_bus_message *message) {
  return bus_functions.message_exit_container(message);
}
