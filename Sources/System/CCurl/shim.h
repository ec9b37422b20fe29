#ifndef CCurl_SHIM_H
#define CCurl_SHIM_H
#include <curl/curl.h>

/* As <openssl/ssl.h> declares it, whose other names would be those of the module COpenSSL, too. */
struct ssl_ctx_st;
extern long SSL_CTX_ctrl(struct ssl_ctx_st *context, int command, long value, void *pointer);

/* Swift cannot call variadic C functions; each of these fixes the type that the option's documentation names. */

static inline CURLcode countersign_curl_global_init(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}

static inline CURLcode countersign_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode countersign_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode countersign_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode countersign_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode countersign_curl_set_callback(CURL *handle, CURLoption option, curl_write_callback value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode countersign_curl_set_progress_callback(
    CURL *handle, CURLoption option, curl_xferinfo_callback value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode countersign_curl_set_socket_callback(
    CURL *handle, CURLoption option, curl_opensocket_callback value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode countersign_curl_set_request_callback(CURL *handle, curl_prereq_callback value) {
    return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode countersign_curl_set_sockopt_callback(
    CURL *handle, CURLoption option, curl_sockopt_callback value) {
    return curl_easy_setopt(handle, option, value);
}

/* Socket of a handle that only connects. */
static inline CURLcode countersign_curl_get_socket(CURL *handle, curl_socket_t *value) {
    return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, value);
}

/* Address of the last connection. The handle owns the text. */
static inline CURLcode countersign_curl_get_address(CURL *handle, const char **value) {
    return curl_easy_getinfo(handle, CURLINFO_PRIMARY_IP, value);
}

static inline CURLcode countersign_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode countersign_curl_get_certificates(CURL *handle, struct curl_certinfo **value) {
    return curl_easy_getinfo(handle, CURLINFO_CERTINFO, value);
}

/* OpenSSL decodes the key of each certificate that a server sends before any is trusted, and one with explicit parameters of
   a curve costs 0.14 s. */
static inline CURLcode countersign_curl_limit_chain(CURL *handle, void *context, void *unused) {
    (void)handle;
    (void)unused;
    const int set_max_cert_list = 51; /* SSL_CTRL_SET_MAX_CERT_LIST */
    SSL_CTX_ctrl((struct ssl_ctx_st *)context, set_max_cert_list, 16384, NULL);
    return CURLE_OK;
}

/* Refuses servers whose certificates have more than 16 KB. Public authorities' chains have 3 to 8. */
static inline CURLcode countersign_curl_limit_certificates(CURL *handle) {
    return curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, countersign_curl_limit_chain);
}

/* curl copies the bytes. */
static inline CURLcode countersign_curl_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    return curl_easy_setopt(handle, option, &blob);
}

static inline CURLMcode countersign_curl_multi_set_long(CURLM *handle, CURLMoption option, long value) {
    return curl_multi_setopt(handle, option, value);
}
#endif
