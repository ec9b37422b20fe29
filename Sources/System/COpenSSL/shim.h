#ifndef COpenSSL_SHIM_H
#define COpenSSL_SHIM_H
#include <openssl/evp.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <openssl/x509_vfy.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <openssl/pem.h>
#include <openssl/ecdsa.h>
#include <openssl/crypto.h>
#include <openssl/rsa.h>
#include <openssl/kdf.h>

/* A macro that Swift's importer does not evaluate. */
static const int COpenSSL_PKEY_PUBLIC_KEY = EVP_PKEY_PUBLIC_KEY;

/* Names that OpenSSL keeps by address: the importer would make them Swift strings, whose C form ends with the call. */
static const char *const COpenSSL_MAC_DIGEST = OSSL_MAC_PARAM_DIGEST;
static const char *const COpenSSL_PKEY_GROUP_NAME = OSSL_PKEY_PARAM_GROUP_NAME;
static const char *const COpenSSL_PKEY_PUB_KEY = OSSL_PKEY_PARAM_PUB_KEY;
static const char *const COpenSSL_PKEY_RSA_N = OSSL_PKEY_PARAM_RSA_N;
static const char *const COpenSSL_PKEY_RSA_E = OSSL_PKEY_PARAM_RSA_E;
static const char *const COpenSSL_KDF_DIGEST = OSSL_KDF_PARAM_DIGEST;
static const char *const COpenSSL_KDF_KEY = OSSL_KDF_PARAM_KEY;
static const char *const COpenSSL_KDF_SALT = OSSL_KDF_PARAM_SALT;
static const char *const COpenSSL_KDF_INFO = OSSL_KDF_PARAM_INFO;
static const char *const COpenSSL_SHA256 = "SHA256";

/* EVP_Digest with a context that the thread keeps: to make one each time costs as much as a short hash does. */
static inline int
COpenSSL_digest (const EVP_MD *method, const void *message, size_t length, unsigned char *output)
{
  static _Thread_local EVP_MD_CTX *context;
  if (NULL == context)
    context = EVP_MD_CTX_new ();
  return NULL != context && 1 == EVP_DigestInit_ex2 (context, method, NULL)
         && 1 == EVP_DigestUpdate (context, message, length) && 1 == EVP_DigestFinal_ex (context, output, NULL);
}

/* An HMAC with a context that the thread keeps, copied from `keyed`, a context that has a key and is never used itself: a
   copy made each time costs more than the HMAC of a token does. */
static inline int
COpenSSL_hmac (const EVP_MAC_CTX *keyed, const void *key, size_t key_length, const void *message, size_t length,
               unsigned char *output, size_t size)
{
  static _Thread_local const EVP_MAC_CTX *original;
  static _Thread_local EVP_MAC_CTX *context;
  size_t written = 0;
  if (keyed != original)
  {
    EVP_MAC_CTX_free (context);
    context = EVP_MAC_CTX_dup (keyed);
    original = NULL == context ? NULL : keyed;
  }
  return NULL != context && 1 == EVP_MAC_init (context, key, key_length, NULL)
         && 1 == EVP_MAC_update (context, message, length) && 1 == EVP_MAC_final (context, output, &written, size)
         && written == size;
}

/* Random bytes from a stock that the thread keeps: OpenSSL takes as long for a few as for hundreds. What is handed out is
   wiped from the stock, and a forked child has none of its parent's. */
static inline int
COpenSSL_random (unsigned char *output, size_t count)
{
  static _Thread_local unsigned char stock[512];
  static _Thread_local size_t left;
  static _Thread_local pid_t owner;
  if (sizeof stock < count)
    return count <= INT_MAX && 1 == RAND_bytes (output, (int) count);
  if (left < count || getpid () != owner)
  {
    left = 0;
    if (1 != RAND_bytes (stock, sizeof stock))
      return 0;
    left = sizeof stock;
    owner = getpid ();
  }
  left -= count;
  memcpy (output, stock + left, count);
  OPENSSL_cleanse (stock + left, count);
  return 1;
}

/* Whether an error says that a text holds no further PEM block, which is a macro's business. */
static inline int
COpenSSL_is_end_of_pem (unsigned long error)
{
  return ERR_LIB_PEM == ERR_GET_LIB (error) && PEM_R_NO_START_LINE == ERR_GET_REASON (error);
}

/* Whether the authorities of `store` vouch for `leaf`, with the help of `issuers`, as the certificate of a TLS client at
   `moment` (seconds since 1970). Stacks of certificates are macros. */
static inline int
COpenSSL_vouches_for_client (X509_STORE *store, X509 *leaf, X509 *const *issuers, size_t count, time_t moment)
{
  int result = 0;
  STACK_OF (X509) *untrusted = sk_X509_new_null ();
  X509_STORE_CTX *context = X509_STORE_CTX_new ();
  if (NULL != untrusted && NULL != context)
  {
    int complete = 1;
    for (size_t i = 0; i < count; i++)
      complete = complete && 0 < sk_X509_push (untrusted, issuers[i]);
    if (complete && 1 == X509_STORE_CTX_init (context, store, leaf, untrusted)
        && 1 == X509_STORE_CTX_set_purpose (context, X509_PURPOSE_SSL_CLIENT))
    {
      X509_VERIFY_PARAM *rules = X509_STORE_CTX_get0_param (context);
      X509_VERIFY_PARAM_set_time (rules, moment);
      X509_VERIFY_PARAM_set_depth (rules, 8);
      /* 112 bits: neither SHA-1 nor RSA of 1024 bits. */
      X509_VERIFY_PARAM_set_auth_level (rules, 2);
      result = 1 == X509_verify_cert (context);
    }
  }
  X509_STORE_CTX_free (context);
  sk_X509_free (untrusted);
  return result;
}

#endif
