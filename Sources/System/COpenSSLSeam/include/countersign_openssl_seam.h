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

/* Reads a certificate in DER that a stranger may have written. OpenSSL decodes its key at once. So certificates with
   other keys than RSA, EC with a named curve, Ed25519 and Ed448 are refused first, and those with an RSA key of more
   than 8,192 bits or an exponent of more than 64. Returns NULL for a refused one. */
X509 *countersign_openssl_read_certificate (const unsigned char *bytes, size_t length);

/* Outcomes of reading keys, and files with keys. */
enum
{
  COUNTERSIGN_KEY_MALFORMED = 0,
  COUNTERSIGN_KEY_READ = 1,
  COUNTERSIGN_KEY_PASSWORD = 2,
  COUNTERSIGN_KEY_TOO_SLOW = 3,
  COUNTERSIGN_KEY_UNSUPPORTED = 4,
  COUNTERSIGN_KEY_INCOMPLETE = 5,
  COUNTERSIGN_KEY_TYPE = 6,
  COUNTERSIGN_KEY_SIZE = 7,
  COUNTERSIGN_KEY_CERTIFICATES = 8
};

/* Readers of a private key without a passphrase, which set `key` for COUNTERSIGN_KEY_READ. A stranger may have written
   the key: its kind and sizes are checked before anything is computed with it. Allowed are RSA with two primes, a
   modulus of 2,048 to 8,192 bits and an exponent of at most 32 bits, EC with a named curve (P-256, P-384 or P-521), and
   Ed25519. */

/* Reads PrivateKeyInfo (RFC 5208, PKCS #8) in DER. */
int countersign_openssl_read_pkcs8 (const unsigned char *bytes, size_t length, EVP_PKEY **key);

/* Reads the first private key of a text in PEM: PKCS #8, or the older forms of RSA and EC. */
int countersign_openssl_read_pem (const unsigned char *bytes, size_t length, EVP_PKEY **key);

/* Opens a file without a password (RFC 7292), also one with the ciphers of Apple's Keychain Access, which OpenSSL has in
   its legacy provider alone. Sets `key` to its one private key, and writes to `chain`, a memory BIO, the key's certificate
   and then all others in PEM. Derives keys of at most `limit` iterations together, which the file's author
   chooses. */
int countersign_openssl_open_pkcs12 (const unsigned char *bytes, long length, long limit, EVP_PKEY **key, BIO *chain);

/* Functions of passwords' hashes from other servers, among them those of the legacy provider, if the machine has it. The
   names are OpenSSL's. */

/* True if the machine has the hash function. */
int countersign_openssl_password_has (const char *name);

int countersign_openssl_password_digest (const char *name, const void *message, size_t length, unsigned char *output,
                                         size_t size);

int countersign_openssl_password_hmac (const char *name, const void *key, size_t key_length, const void *message,
                                       size_t length, unsigned char *output, size_t size);

int countersign_openssl_password_pbkdf2 (const char *name, const char *password, size_t length,
                                         const unsigned char *salt, size_t salt_length, unsigned int iterations,
                                         unsigned char *output, size_t size);

int countersign_openssl_password_scrypt (const char *password, size_t length, const unsigned char *salt,
                                         size_t salt_length, unsigned long cost, unsigned long block_size,
                                         unsigned long lanes, unsigned long memory, unsigned char *output, size_t size);

/* MD5 of salt and password, and then of the last result and the password, as phpass computes it. */
int countersign_openssl_password_md5_rounds (const void *password, size_t length, const void *salt, size_t salt_length,
                                             unsigned long rounds, unsigned char output[16]);

#endif
