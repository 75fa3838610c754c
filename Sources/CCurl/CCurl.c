#define _GNU_SOURCE
#include "CCurl.h"

#include <CPosix.h>
#include <errno.h>
#include <sys/socket.h>

#define FUNCTIONS(each)                                                                       \
  each(global_init) each(easy_init) each(easy_cleanup) each(easy_setopt) each(easy_getinfo)   \
  each(easy_strerror) each(slist_append) each(slist_free_all) each(multi_init)                \
  each(multi_cleanup) each(multi_setopt) each(multi_add_handle) each(multi_remove_handle)     \
  each(multi_socket_action) each(multi_info_read)

#define POINTER(name) typeof(curl_##name) *name;
static struct {
  FUNCTIONS(POINTER)
} curl;

#define SYMBOL(name) {"curl_" #name, (void **)&curl.name},
static const struct cposix_symbol symbols[] = {FUNCTIONS(SYMBOL){NULL, NULL}};

static int start(void) { return curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? 0 : -1; }

int ccurl_open(void) {
  // The version's "4" is libcurl's ABI, which has stood since 2006.
  static struct cposix_library library = {"libcurl.so.4", symbols, start, 0};
  return cposix_open_library(&library);
}

CURL *ccurl_easy_init(void) { return curl.easy_init(); }
void ccurl_easy_cleanup(CURL *transfer) { curl.easy_cleanup(transfer); }

CURLcode ccurl_set_number(CURL *transfer, CURLoption option, long value) {
  return curl.easy_setopt(transfer, option, value);
}

CURLcode ccurl_set_text(CURL *transfer, CURLoption option, const char *value) {
  return curl.easy_setopt(transfer, option, value);
}

CURLcode ccurl_set_list(CURL *transfer, CURLoption option, struct curl_slist *value) {
  return curl.easy_setopt(transfer, option, value);
}

CURLcode ccurl_set_body(CURL *transfer, const void *bytes, size_t count) {
  CURLcode code = curl.easy_setopt(transfer, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  return code ? code : curl.easy_setopt(transfer, CURLOPT_COPYPOSTFIELDS, count ? (const char *)bytes : "");
}

// libcurl's own sockets would be inherited by commands.
static curl_socket_t open_socket(void *error, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)purpose;
  int descriptor =
      socket(address->family, address->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, address->protocol);
  if (descriptor < 0) *(int *)error = errno;
  return descriptor;
}

CURLcode ccurl_set_receivers(CURL *transfer, ccurl_receiver head, ccurl_receiver body, void *context,
                             char *message, int *socket_error) {
  CURLcode code = CURLE_OK;
#define SET(option, value) \
  if (!code) code = curl.easy_setopt(transfer, option, value)
  SET(CURLOPT_HEADERFUNCTION, head);
  SET(CURLOPT_HEADERDATA, context);
  SET(CURLOPT_WRITEFUNCTION, body);
  SET(CURLOPT_WRITEDATA, context);
  SET(CURLOPT_ERRORBUFFER, message);
  SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
  SET(CURLOPT_OPENSOCKETDATA, socket_error);
  return code;
}

long ccurl_number(CURL *transfer, CURLINFO info) {
  long value = 0;
  return curl.easy_getinfo(transfer, info, &value) == CURLE_OK ? value : 0;
}

int64_t ccurl_microseconds(CURL *transfer, CURLINFO info) {
  curl_off_t value = 0;
  return curl.easy_getinfo(transfer, info, &value) == CURLE_OK ? value : 0;
}

const char *ccurl_text(CURL *transfer, CURLINFO info) {
  char *value = NULL;
  return curl.easy_getinfo(transfer, info, &value) == CURLE_OK ? value : NULL;
}

const char *ccurl_error_text(CURLcode code) { return curl.easy_strerror(code); }

int ccurl_error_number(CURLcode code) {
  switch (code) {
  case CURLE_OUT_OF_MEMORY: return ENOMEM;
  case CURLE_ABORTED_BY_CALLBACK: return ECANCELED;
  case CURLE_UNKNOWN_OPTION:
  case CURLE_NOT_BUILT_IN: return ENOSYS;
  default: return EINVAL;
  }
}

struct curl_slist *ccurl_list_append(struct curl_slist *list, const char *text) {
  return curl.slist_append(list, text);
}

void ccurl_list_free(struct curl_slist *list) { curl.slist_free_all(list); }

CURLM *ccurl_multi_init(ccurl_socket_function watch, ccurl_timer_function schedule, void *context) {
  CURLM *multi = curl.multi_init();
  if (!multi) return NULL;
  curl.multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
  curl.multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  curl.multi_setopt(multi, CURLMOPT_TIMERFUNCTION, schedule);
  curl.multi_setopt(multi, CURLMOPT_TIMERDATA, context);
  return multi;
}

void ccurl_multi_cleanup(CURLM *multi) {
  curl.multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, NULL);
  curl.multi_setopt(multi, CURLMOPT_TIMERFUNCTION, NULL);
  curl.multi_cleanup(multi);
}

CURLMcode ccurl_multi_add(CURLM *multi, CURL *transfer) {
  return curl.multi_add_handle(multi, transfer);
}

CURLMcode ccurl_multi_remove(CURLM *multi, CURL *transfer) {
  return curl.multi_remove_handle(multi, transfer);
}

CURLMcode ccurl_multi_act(CURLM *multi, curl_socket_t descriptor) {
  int running;
  // 0: libcurl finds out by itself which events came.
  return curl.multi_socket_action(multi, descriptor, 0, &running);
}

CURL *ccurl_multi_next_ended(CURLM *multi, CURLcode *result) {
  int rest;
  CURLMsg *message;
  while ((message = curl.multi_info_read(multi, &rest))) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}
