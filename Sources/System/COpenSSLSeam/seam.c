#include "countersign_openssl_seam.h"

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <unistd.h>

int
countersign_openssl_digest (const EVP_MD *method, const void *message, size_t length, unsigned char *output)
{
  static _Thread_local EVP_MD_CTX *context;
  if (NULL == context)
    context = EVP_MD_CTX_new ();
  return NULL != context && 1 == EVP_DigestInit_ex2 (context, method, NULL)
         && 1 == EVP_DigestUpdate (context, message, length) && 1 == EVP_DigestFinal_ex (context, output, NULL);
}

int
countersign_openssl_hmac (const EVP_MAC_CTX *keyed, const void *key, size_t key_length, const void *message, size_t length,
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

int
countersign_openssl_random (unsigned char *output, size_t count)
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

int
countersign_openssl_verify_client (X509_STORE *store, X509 *leaf, X509 *const *issuers, size_t count, time_t moment)
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
