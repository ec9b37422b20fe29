#include "countersign_openssl_seam.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <pthread.h>

/* More would be no certificate for one app. */
static const int bag_limit = 32;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static OSSL_LIB_CTX *library;

/* A library context of its own, so that nothing else can use old ciphers. */
static void
load_library (void)
{
  library = OSSL_LIB_CTX_new ();
  if (NULL == library)
    return;
  OSSL_PROVIDER_load (library, "default");
  /* Absent from a static build: files with RC2 are then unsupported. */
  OSSL_PROVIDER_load (library, "legacy");
}

struct reader
{
  const char *password;
  /* Iterations that are left for all keys together. */
  long budget;
  EVP_PKEY *key;
  STACK_OF (X509) *certificates;
  int bags;
};

/* Opened if the budget has that many iterations left, which are taken from it. */
static int
spend (struct reader *reader, long iterations)
{
  if (iterations > reader->budget)
    return COUNTERSIGN_PKCS12_TOO_SLOW;
  reader->budget -= iterations;
  return COUNTERSIGN_PKCS12_OPENED;
}

/* Opened if the budget is enough for a key derived with these parameters. */
static int
spend_on_key (struct reader *reader, const X509_ALGOR *algorithm)
{
  const ASN1_OBJECT *name;
  const void *value;
  int type;
  long iterations = -1;
  X509_ALGOR_get0 (&name, &type, &value, algorithm);
  if (V_ASN1_SEQUENCE != type)
    return COUNTERSIGN_PKCS12_UNSUPPORTED;
  if (NID_pbes2 == OBJ_obj2nid (name))
  {
    PBE2PARAM *outer = ASN1_item_unpack (value, ASN1_ITEM_rptr (PBE2PARAM));
    if (NULL != outer && NID_id_pbkdf2 == OBJ_obj2nid (outer->keyfunc->algorithm))
    {
      PBKDF2PARAM *inner = ASN1_TYPE_unpack_sequence (ASN1_ITEM_rptr (PBKDF2PARAM), outer->keyfunc->parameter);
      if (NULL != inner)
        iterations = ASN1_INTEGER_get (inner->iter);
      PBKDF2PARAM_free (inner);
    }
    PBE2PARAM_free (outer);
  }
  else
  {
    PBEPARAM *parameters = ASN1_item_unpack (value, ASN1_ITEM_rptr (PBEPARAM));
    if (NULL != parameters)
      iterations = NULL == parameters->iter ? 1 : ASN1_INTEGER_get (parameters->iter);
    PBEPARAM_free (parameters);
  }
  if (iterations < 1)
    return COUNTERSIGN_PKCS12_UNSUPPORTED;
  return spend (reader, iterations);
}

static int
take_key (struct reader *reader, const PKCS8_PRIV_KEY_INFO *info)
{
  if (NULL != reader->key || NULL == info)
    return NULL == info ? COUNTERSIGN_PKCS12_UNSUPPORTED : COUNTERSIGN_PKCS12_INCOMPLETE;
  reader->key = EVP_PKCS82PKEY (info);
  return NULL == reader->key ? COUNTERSIGN_PKCS12_UNSUPPORTED : COUNTERSIGN_PKCS12_OPENED;
}

static int
read_bag (struct reader *reader, const PKCS12_SAFEBAG *bag)
{
  if (++reader->bags > bag_limit)
    return COUNTERSIGN_PKCS12_MALFORMED;
  switch (PKCS12_SAFEBAG_get_nid (bag))
  {
  case NID_keyBag:
    return take_key (reader, PKCS12_SAFEBAG_get0_p8inf (bag));
  case NID_pkcs8ShroudedKeyBag:
  {
    const X509_ALGOR *algorithm;
    X509_SIG_get0 (PKCS12_SAFEBAG_get0_pkcs8 (bag), &algorithm, NULL);
    int cost = spend_on_key (reader, algorithm);
    if (COUNTERSIGN_PKCS12_OPENED != cost)
      return cost;
    PKCS8_PRIV_KEY_INFO *info = PKCS12_decrypt_skey_ex (bag, reader->password, 0, library, NULL);
    int result = take_key (reader, info);
    PKCS8_PRIV_KEY_INFO_free (info);
    return result;
  }
  case NID_certBag:
  {
    X509 *certificate = PKCS12_SAFEBAG_get1_cert (bag);
    if (NULL == certificate)
      return COUNTERSIGN_PKCS12_OPENED;
    if (sk_X509_push (reader->certificates, certificate) > 0)
      return COUNTERSIGN_PKCS12_OPENED;
    X509_free (certificate);
    return COUNTERSIGN_PKCS12_MALFORMED;
  }
  default:
    return COUNTERSIGN_PKCS12_OPENED;
  }
}

static int
read_safe (struct reader *reader, PKCS7 *safe)
{
  STACK_OF (PKCS12_SAFEBAG) *bags = NULL;
  int result = COUNTERSIGN_PKCS12_OPENED;
  if (PKCS7_type_is_data (safe))
    bags = PKCS12_unpack_p7data (safe);
  else if (PKCS7_type_is_encrypted (safe) && NULL != safe->d.encrypted && NULL != safe->d.encrypted->enc_data)
  {
    result = spend_on_key (reader, safe->d.encrypted->enc_data->algorithm);
    if (COUNTERSIGN_PKCS12_OPENED != result)
      return result;
    bags = PKCS12_unpack_p7encdata (safe, reader->password, 0);
  }
  if (NULL == bags)
    return COUNTERSIGN_PKCS12_UNSUPPORTED;
  for (int i = 0; i < sk_PKCS12_SAFEBAG_num (bags) && COUNTERSIGN_PKCS12_OPENED == result; i++)
    result = read_bag (reader, sk_PKCS12_SAFEBAG_value (bags, i));
  sk_PKCS12_SAFEBAG_pop_free (bags, PKCS12_SAFEBAG_free);
  return result;
}

/* Checks the MAC, by which the empty password and none are told apart. A MAC of RFC 9579 has iterations of its own, in
   parameters that only later versions of OpenSSL read. */
static int
find_password (struct reader *reader, PKCS12 *file)
{
  const ASN1_INTEGER *count = NULL;
  const X509_ALGOR *algorithm = NULL;
  long iterations;
  int cost;
  if (!PKCS12_mac_present (file))
    return COUNTERSIGN_PKCS12_OPENED;
  PKCS12_get0_mac (NULL, &algorithm, NULL, &count, file);
  if (NULL == algorithm || NID_pbmac1 == OBJ_obj2nid (algorithm->algorithm))
    return COUNTERSIGN_PKCS12_UNSUPPORTED;
  iterations = NULL == count ? 1 : ASN1_INTEGER_get (count);
  if (iterations < 1)
    return COUNTERSIGN_PKCS12_MALFORMED;
  cost = spend (reader, iterations);
  if (COUNTERSIGN_PKCS12_OPENED != cost || PKCS12_verify_mac (file, NULL, 0))
    return cost;
  reader->password = "";
  cost = spend (reader, iterations);
  if (COUNTERSIGN_PKCS12_OPENED != cost || PKCS12_verify_mac (file, "", 0))
    return cost;
  return COUNTERSIGN_PKCS12_PASSWORD;
}

static int
write_chain (const struct reader *reader, BIO *chain)
{
  int own = -1;
  for (int i = 0; i < sk_X509_num (reader->certificates) && own < 0; i++)
    if (1 == X509_check_private_key (sk_X509_value (reader->certificates, i), reader->key))
      own = i;
  if (own < 0 || 1 != PEM_write_bio_X509 (chain, sk_X509_value (reader->certificates, own)))
    return COUNTERSIGN_PKCS12_INCOMPLETE;
  for (int i = 0; i < sk_X509_num (reader->certificates); i++)
    if (i != own && 1 != PEM_write_bio_X509 (chain, sk_X509_value (reader->certificates, i)))
      return COUNTERSIGN_PKCS12_INCOMPLETE;
  return COUNTERSIGN_PKCS12_OPENED;
}

int
countersign_openssl_open_pkcs12 (const unsigned char *bytes, long length, long limit, EVP_PKEY **key, BIO *chain)
{
  struct reader reader = { NULL, limit, NULL, sk_X509_new_null (), 0 };
  PKCS12 *file;
  int result = COUNTERSIGN_PKCS12_MALFORMED;
  pthread_once (&once, load_library);
  file = NULL == library ? NULL : PKCS12_init_ex (NID_pkcs7_data, library, NULL);
  if (NULL != file && NULL != reader.certificates && NULL != d2i_PKCS12 (&file, &bytes, length))
  {
    STACK_OF (PKCS7) *safes;
    result = find_password (&reader, file);
    safes = COUNTERSIGN_PKCS12_OPENED == result ? PKCS12_unpack_authsafes (file) : NULL;
    if (COUNTERSIGN_PKCS12_OPENED == result && (NULL == safes || sk_PKCS7_num (safes) > bag_limit))
      result = COUNTERSIGN_PKCS12_MALFORMED;
    for (int i = 0; i < sk_PKCS7_num (safes) && COUNTERSIGN_PKCS12_OPENED == result; i++)
      result = read_safe (&reader, sk_PKCS7_value (safes, i));
    sk_PKCS7_pop_free (safes, PKCS7_free);
    if (COUNTERSIGN_PKCS12_OPENED == result)
      result = NULL == reader.key ? COUNTERSIGN_PKCS12_INCOMPLETE : write_chain (&reader, chain);
  }
  if (COUNTERSIGN_PKCS12_OPENED == result)
    *key = reader.key;
  else
    EVP_PKEY_free (reader.key);
  sk_X509_pop_free (reader.certificates, X509_free);
  PKCS12_free (file);
  ERR_clear_error ();
  return result;
}
