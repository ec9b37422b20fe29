#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif

#include "countersign_mhd_seam.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

typedef enum MHD_Result (*queue_function) (struct MHD_Connection *, unsigned int, struct MHD_Response *);

static _Atomic (countersign_mhd_refuse) refuse_callback;
static _Atomic (queue_function) library_queue;

void
countersign_mhd_on_refusal (countersign_mhd_refuse refuse)
{
  atomic_store_explicit (&refuse_callback, refuse, memory_order_release);
}

enum MHD_Result
countersign_mhd_queue (struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response)
{
  queue_function queue = atomic_load_explicit (&library_queue, memory_order_relaxed);
  if (NULL == queue)
  {
    queue = (queue_function) dlsym (RTLD_NEXT, "MHD_queue_response");
    if (NULL == queue)
      return MHD_NO;
    atomic_store_explicit (&library_queue, queue, memory_order_relaxed);
  }
  return queue (connection, status, response);
}

/* Replaces the library's function. Only the library calls it: the server queues with `countersign_mhd_queue`. */
enum MHD_Result
MHD_queue_response (struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response)
{
  countersign_mhd_refuse refuse = atomic_load_explicit (&refuse_callback, memory_order_acquire);
  (void) response;
  if (NULL != refuse && NULL != connection)
    refuse (connection, status);
  /* Closes the connection. */
  return MHD_NO;
}

static int
socket_of (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info (connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return NULL == info ? -1 : info->connect_fd;
}

void
countersign_mhd_send_last (struct MHD_Connection *connection, const void *bytes, size_t size)
{
  gnutls_session_t session = countersign_mhd_session (connection);
  if (NULL != session)
    (void) gnutls_record_send (session, bytes, size);
  else
    (void) send (socket_of (connection), bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Answers for sockets without a first byte yet. A server has at most a million connections. */
#define SOCKETS (1 << 20)
static _Atomic (const char *) plain_text_answers[SOCKETS];

/* Reads a socket for GnuTLS, like the library's own function. */
static ssize_t
pull (gnutls_transport_ptr_t pointer, void *buffer, size_t size)
{
  const int socket = (int) (intptr_t) pointer;
  const ssize_t count = recv (socket, buffer, size, 0);
  const char *answer;
  char rest[4096];
  char first;

  if (0 >= count || 0 > socket || SOCKETS <= socket)
    return count;
  answer = atomic_load_explicit (&plain_text_answers[socket], memory_order_relaxed);
  if (NULL == answer)
    return count;
  atomic_store_explicit (&plain_text_answers[socket], NULL, memory_order_relaxed);
  first = ((const char *) buffer)[0];
  if (('A' > first || 'Z' < first) && ('a' > first || 'z' < first))
    return count;
  /* Closing a socket with unread bytes would discard the answer. */
  for (int reads = 0; reads < 8 && 0 < recv (socket, rest, sizeof (rest), MSG_DONTWAIT); reads++)
    continue;
  (void) send (socket, answer, strlen (answer), MSG_DONTWAIT | MSG_NOSIGNAL);
  errno = ECONNRESET;
  return -1;
}

void
countersign_mhd_answer_plain_text (struct MHD_Connection *connection, const char *answer)
{
  gnutls_session_t session = countersign_mhd_session (connection);
  const int socket = socket_of (connection);
  if (NULL == session || 0 > socket || SOCKETS <= socket)
    return;
  atomic_store_explicit (&plain_text_answers[socket], answer, memory_order_relaxed);
  gnutls_transport_set_pull_function (session, pull);
}
