#ifndef COUNTERSIGN_OPENSSL_SEAM_H
#define COUNTERSIGN_OPENSSL_SEAM_H

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stddef.h>
#include <time.h>

/* Contexts that a thread keeps, and checks whose types are macros. Each function returns 1 for success, otherwise 0. */

/* EVP_Digest with the thread's context: making one each time costs as much as a short hash. */
int countersign_openssl_digest (const EVP_MD *method, const void *message, size_t length, unsigned char *output);

/* HMAC with the thread's copy of `keyed`, a context that has a key and is never used itself: a copy each time costs more
   than the HMAC of a token. */
int countersign_openssl_hmac (const EVP_MAC_CTX *keyed, const void *key, size_t key_length, const void *message,
                              size_t length, unsigned char *output, size_t size);

/* Verifies `leaf`, with the help of `issuers`, as the certificate of a TLS client at `moment` (seconds since 1970) against
   the authorities of `store`. */
int countersign_openssl_verify_client (X509_STORE *store, X509 *leaf, X509 *const *issuers, size_t count, time_t moment);

#endif
