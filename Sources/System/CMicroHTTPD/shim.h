#ifndef CMicroHTTPD_SHIM_H
#define CMicroHTTPD_SHIM_H

#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>

/* Swift cannot call C variadics, and libmicrohttpd's start and its queries are variadic: what follows gives them
   fixed arguments and adds no behaviour. */

static const ssize_t countersign_mhd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t countersign_mhd_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;

/* A descriptor that another thread makes readable, or -1 with errno: glibc hides its flags from Swift. */
static inline int
countersign_event_descriptor (void)
{
  return eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
}

/* poll(2)'s POLLRDHUP, which glibc also hides: the peer closed its sending side, or all of it. */
static const short countersign_poll_peer_closed = 0x2000;

struct countersign_mhd_settings {
  void *context; /* passed to every callback */
  MHD_AccessHandlerCallback handle;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
  void *(*target) (void *context, const char *target, struct MHD_Connection *connection);
  unsigned int threads;
  unsigned int idle_timeout; /* seconds */
  size_t connection_memory;  /* bytes */
  const char *certificates;  /* PEM, or NULL for plain HTTP */
  const char *private_key;   /* PEM */
  const char *priorities;    /* GnuTLS priority string */
};

/* The last thing the library complained of; kept while it starts, to say why it did not. */
struct countersign_mhd_complaint {
  int open;
  char text[256];
};

static inline void
countersign_mhd_complain (void *context, const char *format, va_list arguments)
{
  struct countersign_mhd_complaint *complaint = (struct countersign_mhd_complaint *) context;
  if (complaint->open)
    vsnprintf (complaint->text, sizeof (complaint->text), format, arguments);
}

/* Leaves targets and arguments as they came: percent-decoding is the router's. */
static inline size_t
countersign_mhd_keep_escapes (void *context, struct MHD_Connection *connection, char *text)
{
  (void) context;
  (void) connection;
  return strlen (text);
}

/* Starts the event threads with no listening socket: connections are handed in with MHD_add_connection. The complaint
   must outlive the daemon. */
static inline struct MHD_Daemon *
countersign_mhd_start (const struct countersign_mhd_settings *settings, struct countersign_mhd_complaint *complaint)
{
  struct MHD_OptionItem options[16];
  size_t count = 0;
  unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC
                       | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG;
  struct MHD_Daemon *daemon;

#define COUNTERSIGN_OPTION(name, number, pointer) \
  do { \
    options[count].option = (name); \
    options[count].value = (intptr_t) (number); \
    options[count].ptr_value = (void *) (pointer); \
    count++; \
  } while (0)
  COUNTERSIGN_OPTION (MHD_OPTION_NOTIFY_COMPLETED, settings->completed, settings->context);
  COUNTERSIGN_OPTION (MHD_OPTION_NOTIFY_CONNECTION, settings->connection, settings->context);
  COUNTERSIGN_OPTION (MHD_OPTION_URI_LOG_CALLBACK, settings->target, settings->context);
  COUNTERSIGN_OPTION (MHD_OPTION_UNESCAPE_CALLBACK, countersign_mhd_keep_escapes, NULL);
  COUNTERSIGN_OPTION (MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory, NULL);
  COUNTERSIGN_OPTION (MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_timeout, NULL);
  /* The listener counts connections itself; a bound here would make the library wait in place of refusing. */
  COUNTERSIGN_OPTION (MHD_OPTION_CONNECTION_LIMIT, 0x7fffffff, NULL);
  if (settings->threads > 1)
    COUNTERSIGN_OPTION (MHD_OPTION_THREAD_POOL_SIZE, settings->threads, NULL);
  if (NULL != settings->certificates)
  {
    flags |= MHD_USE_TLS;
    COUNTERSIGN_OPTION (MHD_OPTION_HTTPS_MEM_CERT, 0, settings->certificates);
    COUNTERSIGN_OPTION (MHD_OPTION_HTTPS_MEM_KEY, 0, settings->private_key);
    COUNTERSIGN_OPTION (MHD_OPTION_HTTPS_PRIORITIES, 0, settings->priorities);
  }
  COUNTERSIGN_OPTION (MHD_OPTION_END, 0, NULL);
#undef COUNTERSIGN_OPTION

  complaint->open = 1;
  daemon = MHD_start_daemon (flags, 0, NULL, NULL, settings->handle, settings->context,
                             MHD_OPTION_EXTERNAL_LOGGER, &countersign_mhd_complain, complaint,
                             MHD_OPTION_ARRAY, options, MHD_OPTION_END);
  complaint->open = 0;
  return daemon;
}

/* The connection's socket, or -1. */
static inline int
countersign_mhd_socket (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info (connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return NULL == info ? -1 : info->connect_fd;
}

/* What the connection callback left in its socket context, or NULL. */
static inline void *
countersign_mhd_socket_context (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info (connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return NULL == info ? NULL : info->socket_context;
}

/* Bytes from the method to the end of the blank line that ends the head, or 0. */
static inline size_t
countersign_mhd_head_size (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info
    = MHD_get_connection_info (connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return NULL == info ? 0 : info->header_size;
}

static inline gnutls_session_t
countersign_mhd_tls_session (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info (connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  return NULL == info ? NULL : (gnutls_session_t) info->tls_session;
}

/* Asks the client of a connection, before its handshake, for a certificate. It may have none, and no authority is
   named: whoever vouches for the one that comes, the client has proven that its key is its own. */
static inline void
countersign_mhd_request_certificate (struct MHD_Connection *connection)
{
  gnutls_session_t session = countersign_mhd_tls_session (connection);
  if (NULL != session)
    gnutls_certificate_server_set_request (session, GNUTLS_CERT_REQUEST);
}

/* GnuTLS checks that the key is the certificate's. Returns a negative number where something is wrong. */
static inline int
countersign_mhd_set_certificate (gnutls_certificate_credentials_t credentials, const char *certificates,
                                 const char *private_key)
{
  const gnutls_datum_t chain = { (unsigned char *) certificates, (unsigned int) strlen (certificates) };
  const gnutls_datum_t key = { (unsigned char *) private_key, (unsigned int) strlen (private_key) };
  return gnutls_certificate_set_x509_key_mem (credentials, &chain, &key, GNUTLS_X509_FMT_PEM);
}

/* Has a connection, before its handshake, present these and not those that the library was started with. */
static inline void
countersign_mhd_use_certificate (struct MHD_Connection *connection, gnutls_certificate_credentials_t credentials)
{
  gnutls_session_t session = countersign_mhd_tls_session (connection);
  if (NULL != session)
    gnutls_credentials_set (session, GNUTLS_CRD_CERTIFICATE, credentials);
}

/* The client's certificates in DER, its own first, or NULL. They are the session's. */
static inline const gnutls_datum_t *
countersign_mhd_certificates (struct MHD_Connection *connection, unsigned int *count)
{
  gnutls_session_t session = countersign_mhd_tls_session (connection);
  *count = 0;
  if (NULL == session || GNUTLS_CRT_X509 != gnutls_certificate_type_get2 (session, GNUTLS_CTYPE_CLIENT))
    return NULL;
  return gnutls_certificate_get_peers (session, count);
}

/* The status that was queued, or 0. */
static inline unsigned int
countersign_mhd_status (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info (connection, MHD_CONNECTION_INFO_HTTP_STATUS);
  return NULL == info ? 0 : info->http_status;
}

#endif
