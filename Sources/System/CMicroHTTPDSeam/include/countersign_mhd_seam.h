#ifndef COUNTERSIGN_MHD_SEAM_H
#define COUNTERSIGN_MHD_SEAM_H

#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <stddef.h>

/* Start and TLS of libmicrohttpd, and two decisions for which it has no callback. */

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

/* The last complaint of the library while it starts: the reason of a failed start. */
struct countersign_mhd_complaint {
  int open;
  char text[256];
};

/* Starts the event threads without a listening socket: connections are handed in with MHD_add_connection. The complaint
   must outlive the daemon. */
struct MHD_Daemon *countersign_mhd_start (const struct countersign_mhd_settings *settings,
                                          struct countersign_mhd_complaint *complaint);

/* The connection's TLS session, or NULL. */
gnutls_session_t countersign_mhd_session (struct MHD_Connection *connection);

/* Asks the client, before the handshake, for a certificate of any issuer. The client may have none. A key whose
   signature is expensive to check ends the handshake. */
void countersign_mhd_request_certificate (struct MHD_Connection *connection);

/* GnuTLS checks that the key fits the certificate. Returns a negative number for an error. */
int countersign_mhd_set_certificate (gnutls_certificate_credentials_t credentials, const char *certificates,
                                     const char *private_key);

/* Replaces the credentials that a connection presents, before its handshake. */
void countersign_mhd_use_certificate (struct MHD_Connection *connection, gnutls_certificate_credentials_t credentials);

/* The client's certificates in DER, its own first, or NULL. The session owns them. */
const gnutls_datum_t *countersign_mhd_certificates (struct MHD_Connection *connection, unsigned int *count);

/* Replaces the library's answer to an unreadable request: HTML, and for a wrong Content-Length a second head. The
   library queues it through its exported MHD_queue_response, which a program may define itself, unless the library was
   linked with -Bsymbolic-functions. The callback runs on the event thread. The connection is closed after it. */
typedef void (*countersign_mhd_refuse) (struct MHD_Connection *connection, unsigned int status);
void countersign_mhd_on_refusal (countersign_mhd_refuse refuse);

/* The library's own MHD_queue_response. */
enum MHD_Result countersign_mhd_queue (struct MHD_Connection *connection, unsigned int status,
                                       struct MHD_Response *response);

/* Sends the last bytes of a connection at once, past the library. Bytes that the system does not take are lost. */
void countersign_mhd_send_last (struct MHD_Connection *connection, const void *bytes, size_t size);

/* Before the handshake: a client that begins with a letter, as no TLS record does (RFC 8446 clause 5.1), speaks plain
   HTTP, gets `answer`, which must stay in memory, and loses the connection. */
void countersign_mhd_answer_plain_text (struct MHD_Connection *connection, const char *answer);

#endif
