#ifndef CCURL_H
#define CCURL_H
// libcurl, opened when it is first needed: linked, it and the 42 libraries behind it would cost
// every start 14 ms and 8 MB. Each function below does what its namesake of libcurl does; those
// that libcurl declares with a variable argument take one of a fixed type here.
#include <curl/curl.h>
#include <stdint.h>

/// Opens libcurl, where that has not been done. Returns 0; ELIBACC where the library or one that it
/// needs is not there, ELIBBAD where it lacks a function. Nothing else here may be called before.
int ccurl_open(void);

/// Takes a transfer's bytes; returns how many it took, and less than `size * count` to end it.
typedef size_t (*ccurl_receiver)(char *bytes, size_t size, size_t count, void *context);
/// Is told which events a transfer waits for on a descriptor: CURL_POLL_IN, …_REMOVE.
typedef int (*ccurl_socket_function)(CURL *transfer, curl_socket_t descriptor, int events,
                                     void *context, void *unused);
/// Is told in how many milliseconds `ccurl_multi_act` is to be called; -1 for never.
typedef int (*ccurl_timer_function)(CURLM *multi, long milliseconds, void *context);

CURL *ccurl_easy_init(void);
void ccurl_easy_cleanup(CURL *transfer);
CURLcode ccurl_set_number(CURL *transfer, CURLoption option, long value);
CURLcode ccurl_set_text(CURL *transfer, CURLoption option, const char *value);
CURLcode ccurl_set_list(CURL *transfer, CURLoption option, struct curl_slist *value);
/// Sets what is sent as the body; libcurl copies it.
CURLcode ccurl_set_body(CURL *transfer, const void *bytes, size_t count);
/// Sets who takes head and body, where libcurl writes what went wrong (CURL_ERROR_SIZE bytes), and
/// where errno goes when no socket can be made.
CURLcode ccurl_set_receivers(CURL *transfer, ccurl_receiver head, ccurl_receiver body, void *context,
                             char *message, int *socket_error);

/// What curl_easy_getinfo(3) tells; 0 or NULL where it tells nothing.
long ccurl_number(CURL *transfer, CURLINFO info);
int64_t ccurl_microseconds(CURL *transfer, CURLINFO info);
const char *ccurl_text(CURL *transfer, CURLINFO info);
const char *ccurl_error_text(CURLcode code);
/// The errno value that says best why a request could not be set up.
int ccurl_error_number(CURLcode code);

struct curl_slist *ccurl_list_append(struct curl_slist *list, const char *text);
void ccurl_list_free(struct curl_slist *list);

CURLM *ccurl_multi_init(ccurl_socket_function watch, ccurl_timer_function schedule, void *context);
/// Ends it without calling what it was made with.
void ccurl_multi_cleanup(CURLM *multi);
CURLMcode ccurl_multi_add(CURLM *multi, CURL *transfer);
CURLMcode ccurl_multi_remove(CURLM *multi, CURL *transfer);
/// Does what is to be done on a descriptor, or at a time for CURL_SOCKET_TIMEOUT.
CURLMcode ccurl_multi_act(CURLM *multi, curl_socket_t descriptor);
/// The next transfer that has ended, and how; NULL where there is none.
CURL *ccurl_multi_next_ended(CURLM *multi, CURLcode *result);
#endif
