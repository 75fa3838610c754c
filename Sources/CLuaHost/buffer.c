// Growth of the value streams.
#include "CLuaHost.h"

#include <stdlib.h>

bool lh_buffer_grow(lh_buffer *buffer) {
  size_t capacity = buffer->capacity ? buffer->capacity * 2 : 64;
  lh_value *values = realloc(buffer->values, capacity * sizeof *values);
  if (!values) {
    buffer->failed = true;
    return false;
  }
  buffer->values = values;
  buffer->capacity = capacity;
  return true;
}

bool lh_buffer_grow_bytes(lh_buffer *buffer, size_t length) {
  size_t size = buffer->size ? buffer->size * 2 : 1024;
  if (size - buffer->length < length) size = buffer->length + length;
  // The length of one string travels in 32 bits.
  char *bytes = length <= UINT32_MAX ? realloc(buffer->bytes, size) : NULL;
  if (!bytes) {
    buffer->failed = true;
    return false;
  }
  buffer->bytes = bytes;
  buffer->size = size;
  return true;
}

void lh_buffer_free(lh_buffer *buffer) {
  free(buffer->values);
  free(buffer->bytes);
  *buffer = (lh_buffer){0};
}
