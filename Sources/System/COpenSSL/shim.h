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

/* Names that OpenSSL keeps by address. The importer would make them Swift strings, whose C form ends with the call. */
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

/* True for the error at the end of the PEM blocks of a text. Its parts are macros. */
static inline int
COpenSSL_is_end_of_pem (unsigned long error)
{
  return ERR_LIB_PEM == ERR_GET_LIB (error) && PEM_R_NO_START_LINE == ERR_GET_REASON (error);
}

#endif
