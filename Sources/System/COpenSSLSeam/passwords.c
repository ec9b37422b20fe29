#include "countersign_openssl_seam.h"

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <pthread.h>

/* Loading a provider into the process's context would end the automatic one there, so this has a context of its own. */
static OSSL_LIB_CTX *context;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
make_context (void)
{
  context = OSSL_LIB_CTX_new ();
  if (NULL == context)
    return;
  OSSL_PROVIDER_load (context, "default");
  /* Debian has it in a package of its own. */
  OSSL_PROVIDER_load (context, "legacy");
}

static OSSL_LIB_CTX *
password_context (void)
{
  pthread_once (&once, make_context);
  return context;
}

int
countersign_openssl_password_has (const char *name)
{
  EVP_MD *method = NULL == password_context () ? NULL : EVP_MD_fetch (context, name, NULL);
  int found = NULL != method;
  EVP_MD_free (method);
  return found;
}

int
countersign_openssl_password_digest (const char *name, const void *message, size_t length, unsigned char *output,
                                     size_t size)
{
  size_t written = size;
  return NULL != password_context () && 1 == EVP_Q_digest (context, name, NULL, message, length, output, &written)
         && written == size;
}

int
countersign_openssl_password_hmac (const char *name, const void *key, size_t key_length, const void *message,
                                   size_t length, unsigned char *output, size_t size)
{
  size_t written = 0;
  return NULL != password_context ()
         && NULL != EVP_Q_mac (context, "HMAC", NULL, name, NULL, key, key_length, message, length, output, size,
                               &written)
         && written == size;
}

int
countersign_openssl_password_pbkdf2 (const char *name, const char *password, size_t length, const unsigned char *salt,
                                     size_t salt_length, unsigned int iterations, unsigned char *output, size_t size)
{
  int done = 0;
  /* Without the lower bounds of SP 800-132: the hash is another server's. */
  int plain = 1;
  EVP_KDF *kdf = NULL == password_context () ? NULL : EVP_KDF_fetch (context, "PBKDF2", NULL);
  EVP_KDF_CTX *derivation = NULL == kdf ? NULL : EVP_KDF_CTX_new (kdf);
  if (NULL != derivation)
  {
    OSSL_PARAM parameters[]
        = { OSSL_PARAM_construct_utf8_string (OSSL_KDF_PARAM_DIGEST, (char *)name, 0),
            OSSL_PARAM_construct_octet_string (OSSL_KDF_PARAM_PASSWORD, (void *)password, length),
            OSSL_PARAM_construct_octet_string (OSSL_KDF_PARAM_SALT, (void *)salt, salt_length),
            OSSL_PARAM_construct_uint (OSSL_KDF_PARAM_ITER, &iterations),
            OSSL_PARAM_construct_int (OSSL_KDF_PARAM_PKCS5, &plain), OSSL_PARAM_construct_end () };
    done = 1 == EVP_KDF_derive (derivation, output, size, parameters);
  }
  EVP_KDF_CTX_free (derivation);
  EVP_KDF_free (kdf);
  return done;
}

int
countersign_openssl_password_scrypt (const char *password, size_t length, const unsigned char *salt, size_t salt_length,
                                     unsigned long cost, unsigned long block_size, unsigned long lanes,
                                     unsigned long memory, unsigned char *output, size_t size)
{
  return 1
         == EVP_PBE_scrypt (password, length, salt, salt_length, cost, block_size, lanes, memory, output, size);
}

int
countersign_openssl_password_md5_rounds (const void *password, size_t length, const void *salt, size_t salt_length,
                                         unsigned long rounds, unsigned char output[16])
{
  EVP_MD *method = NULL == password_context () ? NULL : EVP_MD_fetch (context, "MD5", NULL);
  EVP_MD_CTX *state = EVP_MD_CTX_new ();
  int done = NULL != method && NULL != state && 1 == EVP_DigestInit_ex2 (state, method, NULL)
             && 1 == EVP_DigestUpdate (state, salt, salt_length) && 1 == EVP_DigestUpdate (state, password, length)
             && 1 == EVP_DigestFinal_ex (state, output, NULL);
  for (unsigned long round = 0; done && round < rounds; round++)
    done = 1 == EVP_DigestInit_ex2 (state, NULL, NULL) && 1 == EVP_DigestUpdate (state, output, 16)
           && 1 == EVP_DigestUpdate (state, password, length) && 1 == EVP_DigestFinal_ex (state, output, NULL);
  EVP_MD_CTX_free (state);
  EVP_MD_free (method);
  return done;
}
