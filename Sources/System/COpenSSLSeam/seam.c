#include "countersign_openssl_seam.h"

#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

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
