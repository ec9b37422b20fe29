#ifndef CMicroHTTPD_SHIM_H
#define CMicroHTTPD_SHIM_H

#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <stddef.h>
#include <sys/eventfd.h>

/* Swift cannot call C variadics such as libmicrohttpd's queries. These give them fixed arguments and add no behaviour. */

static const ssize_t countersign_mhd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t countersign_mhd_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;

/* A descriptor that another thread makes readable, or -1 with errno: glibc hides its flags from Swift. */
static inline int
countersign_event_descriptor (void)
{
  return eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
}

/* poll(2)'s POLLRDHUP, which glibc also hides: the peer closed its sending side or the connection. */
static const short countersign_poll_peer_closed = 0x2000;

/* The connection's socket, or -1. */
static inline int
countersign_mhd_socket (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info (connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return NULL == info ? -1 : info->connect_fd;
}

/* The connection callback's socket context, or NULL. */
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

/* The queued status, or 0. */
static inline unsigned int
countersign_mhd_status (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info (connection, MHD_CONNECTION_INFO_HTTP_STATUS);
  return NULL == info ? 0 : info->http_status;
}

#endif
