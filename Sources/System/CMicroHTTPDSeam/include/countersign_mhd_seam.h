#ifndef COUNTERSIGN_MHD_SEAM_H
#define COUNTERSIGN_MHD_SEAM_H

#include <microhttpd.h>
#include <stddef.h>

/* libmicrohttpd has no callback for two things that a server must decide for itself. Both are here, and nothing else. */

/* Takes the place of the library's answer to a request that it could not read: HTML of its own, and for a
   Content-Length that is no number a second head behind it. The library queues that answer through its own exported
   MHD_queue_response, which a program may define in its place; a library that was linked with -Bsymbolic-functions
   keeps its answer. The callback runs on the connection's event thread, and the connection is closed after it. */
typedef void (*countersign_mhd_refuse) (struct MHD_Connection *connection, unsigned int status);
void countersign_mhd_on_refusal (countersign_mhd_refuse refuse);

/* The library's own MHD_queue_response. */
enum MHD_Result countersign_mhd_queue (struct MHD_Connection *connection, unsigned int status,
                                       struct MHD_Response *response);

/* Sends the last bytes of a connection at once, past the library. What the system does not take is lost. */
void countersign_mhd_send_last (struct MHD_Connection *connection, const void *bytes, size_t size);

/* Before the handshake of a TLS connection: a client that begins with a letter speaks plain HTTP, gets `answer`, and
   loses the connection. A TLS record never begins with a letter (RFC 8446 clause 5.1). The answer must stay. */
void countersign_mhd_answer_plain_text (struct MHD_Connection *connection, const char *answer);

#endif
