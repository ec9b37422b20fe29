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

/* Outcomes of `countersign_openssl_open_pkcs12`. */
enum
{
  COUNTERSIGN_PKCS12_MALFORMED = 0,
  COUNTERSIGN_PKCS12_OPENED = 1,
  COUNTERSIGN_PKCS12_PASSWORD = 2,
  COUNTERSIGN_PKCS12_TOO_SLOW = 3,
  COUNTERSIGN_PKCS12_UNSUPPORTED = 4,
  COUNTERSIGN_PKCS12_INCOMPLETE = 5
};

/* Opens a file without a password (RFC 7292), also one with the ciphers of Apple's Keychain Access, which OpenSSL has in
   its legacy provider alone. Sets `key` to its one private key, and writes to `chain`, a memory BIO, the key's certificate
   and then all others in PEM. Derives keys of at most `limit` iterations together, which the file's author
   chooses. */
int countersign_openssl_open_pkcs12 (const unsigned char *bytes, long length, long limit, EVP_PKEY **key, BIO *chain);

#endif
