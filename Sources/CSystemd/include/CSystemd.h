#ifndef CSYSTEMD_H
#define CSYSTEMD_H
// sd-bus(3) of libsystemd, opened on first use: linked, it would cost every start its libraries.
// Functions are those of sd-bus with a prefix, without their variable arguments; they return a
// negative errno on failure. None but csystemd_open may be called before that has returned 0.
#include <stdint.h>
#include <systemd/sd-bus.h>

/// Whether an address of the system's bus is given, or its socket is there.
int csystemd_has_system_bus(void);

/// Opens the library. Returns 0; an errno value where it is missing or lacks a function.
int csystemd_open(void);

/// Connects to a bus at an address, or to the system's where that is NULL.
int csystemd_bus_connect(sd_bus **bus, const char *address);
void csystemd_bus_close(sd_bus *bus);
int csystemd_bus_descriptor(sd_bus *bus);
/// Whether to wait until something can be read (1), written (2) or both.
int csystemd_bus_interest(sd_bus *bus);
/// For how many microseconds to wait at most; UINT64_MAX for ever.
uint64_t csystemd_bus_patience(sd_bus *bus);
/// Takes one step; positive where there may be more to do.
int csystemd_bus_process(sd_bus *bus);
/// Waits until there is something to process.
int csystemd_bus_wait(sd_bus *bus, uint64_t microseconds);

/// A call, which starts a service that does not run where it may; `csystemd_message_release` ends it.
int csystemd_call_new(sd_bus *bus, sd_bus_message **call, const char *destination,
                      const char *path, const char *interface, const char *member, int may_start);
int csystemd_message_append_string(sd_bus_message *message, const char *text);
/// Appends a value of a basic type that is no text.
int csystemd_message_append(sd_bus_message *message, char type, const void *value);
int csystemd_message_open(sd_bus_message *message, char type, const char *contents);
int csystemd_message_close(sd_bus_message *message);
/// Sends it; `handler` is called once with the answer or an error, unless the bus is closed first.
int csystemd_call_send(sd_bus *bus, sd_bus_message *call, sd_bus_message_handler_t handler,
                       void *context, uint64_t timeout);
int csystemd_bus_match(sd_bus *bus, const char *rule, sd_bus_message_handler_t handler,
                       void *context);
void csystemd_message_release(sd_bus_message *message);

/// The name of the error that a message is, or NULL.
const char *csystemd_message_error(sd_bus_message *message);
const char *csystemd_message_path(sd_bus_message *message);
/// The type of the next value and of what it holds; 0 where there is none.
int csystemd_message_peek(sd_bus_message *message, char *type, const char **contents);
int csystemd_message_read(sd_bus_message *message, char type, void *value);
int csystemd_message_enter(sd_bus_message *message, char type, const char *contents);
int csystemd_message_exit(sd_bus_message *message);
#endif
