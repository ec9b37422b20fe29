#include "countersign_openssl_seam.h"
#include "reading.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <pthread.h>

/* More would be no certificate for one app. */
static const int bag_limit = 32;
static const int certificate_limit = 8;

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

/* Read if the budget has that many iterations left, which are taken from it. */
static int
spend (struct reader *reader, long iterations)
{
  if (iterations > reader->budget)
    return COUNTERSIGN_KEY_TOO_SLOW;
  reader->budget -= iterations;
  return COUNTERSIGN_KEY_READ;
}

/* Read if the budget is enough for a key derived with these parameters. */
static int
spend_on_key (struct reader *reader, const X509_ALGOR *algorithm)
{
  const ASN1_OBJECT *name;
  const void *value;
  int type;
  long iterations = -1;
  X509_ALGOR_get0 (&name, &type, &value, algorithm);
  if (V_ASN1_SEQUENCE != type)
    return COUNTERSIGN_KEY_UNSUPPORTED;
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
    return COUNTERSIGN_KEY_UNSUPPORTED;
  return spend (reader, iterations);
}

static int
take_key (struct reader *reader, const PKCS8_PRIV_KEY_INFO *info)
{
  int result;
  if (NULL != reader->key || NULL == info)
    return NULL == info ? COUNTERSIGN_KEY_UNSUPPORTED : COUNTERSIGN_KEY_INCOMPLETE;
  result = countersign_decode_key (info, &reader->key);
  return COUNTERSIGN_KEY_MALFORMED == result ? COUNTERSIGN_KEY_UNSUPPORTED : result;
}

/* Goes into the next element. */
static int
enter (struct countersign_span *span, int tag, int class)
{
  struct countersign_span content;
  if (!countersign_take (span, tag, class, &content))
    return 0;
  *span = content;
  return 1;
}

/* Finds the certificate in CertBag (RFC 7292 clause 4.2.3). OpenSSL's own accessor would decode its key unchecked. */
static int
find_certificate (struct countersign_span bag, struct countersign_span *certificate)
{
  struct countersign_span name;
  return enter (&bag, V_ASN1_SEQUENCE, V_ASN1_UNIVERSAL)
         && countersign_take (&bag, V_ASN1_OBJECT, V_ASN1_UNIVERSAL, &name) && enter (&bag, 0, V_ASN1_CONTEXT_SPECIFIC)
         && enter (&bag, V_ASN1_SEQUENCE, V_ASN1_UNIVERSAL)
         && countersign_take (&bag, V_ASN1_OBJECT, V_ASN1_UNIVERSAL, &name) && enter (&bag, 0, V_ASN1_CONTEXT_SPECIFIC)
         && countersign_take (&bag, V_ASN1_OCTET_STRING, V_ASN1_UNIVERSAL, certificate)
         && countersign_length (*certificate) <= COUNTERSIGN_CERTIFICATE_LIMIT;
}

static int
take_certificate (struct reader *reader, const PKCS12_SAFEBAG *bag)
{
  unsigned char *bytes = NULL;
  const int length = i2d_PKCS12_SAFEBAG (bag, &bytes);
  struct countersign_span content;
  X509 *certificate = NULL;
  int result = COUNTERSIGN_KEY_CERTIFICATES;
  if (length > 0 && sk_X509_num (reader->certificates) < certificate_limit
      && find_certificate ((struct countersign_span) { bytes, bytes + length }, &content))
    certificate = countersign_openssl_read_certificate (content.at, (size_t) countersign_length (content));
  if (NULL != certificate && sk_X509_push (reader->certificates, certificate) > 0)
    result = COUNTERSIGN_KEY_READ;
  else
    X509_free (certificate);
  OPENSSL_free (bytes);
  return result;
}

static int
read_bag (struct reader *reader, const PKCS12_SAFEBAG *bag)
{
  if (++reader->bags > bag_limit)
    return COUNTERSIGN_KEY_CERTIFICATES;
  switch (PKCS12_SAFEBAG_get_nid (bag))
  {
  case NID_keyBag:
    return take_key (reader, PKCS12_SAFEBAG_get0_p8inf (bag));
  case NID_pkcs8ShroudedKeyBag:
  {
    const X509_ALGOR *algorithm;
    X509_SIG_get0 (PKCS12_SAFEBAG_get0_pkcs8 (bag), &algorithm, NULL);
    int cost = spend_on_key (reader, algorithm);
    if (COUNTERSIGN_KEY_READ != cost)
      return cost;
    PKCS8_PRIV_KEY_INFO *info = PKCS12_decrypt_skey_ex (bag, reader->password, 0, library, NULL);
    int result = take_key (reader, info);
    PKCS8_PRIV_KEY_INFO_free (info);
    return result;
  }
  case NID_certBag:
    /* The other kind (SDSI) is no X.509 certificate. */
    return NID_x509Certificate != PKCS12_SAFEBAG_get_bag_nid (bag) ? COUNTERSIGN_KEY_READ
                                                                   : take_certificate (reader, bag);
  default:
    return COUNTERSIGN_KEY_READ;
  }
}

static int
read_safe (struct reader *reader, PKCS7 *safe)
{
  STACK_OF (PKCS12_SAFEBAG) *bags = NULL;
  int result = COUNTERSIGN_KEY_READ;
  if (PKCS7_type_is_data (safe))
    bags = PKCS12_unpack_p7data (safe);
  else if (PKCS7_type_is_encrypted (safe) && NULL != safe->d.encrypted && NULL != safe->d.encrypted->enc_data)
  {
    result = spend_on_key (reader, safe->d.encrypted->enc_data->algorithm);
    if (COUNTERSIGN_KEY_READ != result)
      return result;
    bags = PKCS12_unpack_p7encdata (safe, reader->password, 0);
  }
  if (NULL == bags)
    return COUNTERSIGN_KEY_UNSUPPORTED;
  for (int i = 0; i < sk_PKCS12_SAFEBAG_num (bags) && COUNTERSIGN_KEY_READ == result; i++)
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
    return COUNTERSIGN_KEY_READ;
  PKCS12_get0_mac (NULL, &algorithm, NULL, &count, file);
  if (NULL == algorithm || NID_pbmac1 == OBJ_obj2nid (algorithm->algorithm))
    return COUNTERSIGN_KEY_UNSUPPORTED;
  iterations = NULL == count ? 1 : ASN1_INTEGER_get (count);
  if (iterations < 1)
    return COUNTERSIGN_KEY_MALFORMED;
  cost = spend (reader, iterations);
  if (COUNTERSIGN_KEY_READ != cost || PKCS12_verify_mac (file, NULL, 0))
    return cost;
  reader->password = "";
  cost = spend (reader, iterations);
  if (COUNTERSIGN_KEY_READ != cost || PKCS12_verify_mac (file, "", 0))
    return cost;
  return COUNTERSIGN_KEY_PASSWORD;
}

static int
write_chain (const struct reader *reader, BIO *chain)
{
  int own = -1;
  for (int i = 0; i < sk_X509_num (reader->certificates) && own < 0; i++)
    if (1 == X509_check_private_key (sk_X509_value (reader->certificates, i), reader->key))
      own = i;
  if (own < 0 || 1 != PEM_write_bio_X509 (chain, sk_X509_value (reader->certificates, own)))
    return COUNTERSIGN_KEY_INCOMPLETE;
  for (int i = 0; i < sk_X509_num (reader->certificates); i++)
    if (i != own && 1 != PEM_write_bio_X509 (chain, sk_X509_value (reader->certificates, i)))
      return COUNTERSIGN_KEY_INCOMPLETE;
  return COUNTERSIGN_KEY_READ;
}

/* The parts of a ContentInfo (RFC 2315 clause 7), or NULL unless it has that type. */
static ASN1_SEQUENCE_ANY *
open_content (const ASN1_TYPE *info, int type)
{
  ASN1_SEQUENCE_ANY *parts = NULL;
  const unsigned char *at;
  if (NULL == info || V_ASN1_SEQUENCE != ASN1_TYPE_get (info))
    return NULL;
  at = info->value.sequence->data;
  parts = d2i_ASN1_SEQUENCE_ANY (NULL, &at, info->value.sequence->length);
  if (NULL != parts && 2 == sk_ASN1_TYPE_num (parts))
  {
    const ASN1_TYPE *name = sk_ASN1_TYPE_value (parts, 0);
    if (V_ASN1_OBJECT == ASN1_TYPE_get (name) && type == OBJ_obj2nid (name->value.object)
        && V_ASN1_OTHER == ASN1_TYPE_get (sk_ASN1_TYPE_value (parts, 1)))
      return parts;
  }
  sk_ASN1_TYPE_pop_free (parts, ASN1_TYPE_free);
  return NULL;
}

static int
has_type (const ASN1_TYPE *info, int type)
{
  ASN1_SEQUENCE_ANY *parts = open_content (info, type);
  const int result = NULL != parts;
  sk_ASN1_TYPE_pop_free (parts, ASN1_TYPE_free);
  return result;
}

/* True if the file and its parts are data or encrypted data. Other types (RFC 2315 clause 9) may have certificates,
   whose keys OpenSSL decodes unchecked while it reads the file. Lengths may be indefinite here, so `countersign_take`
   does not serve. */
static int
is_plain (const unsigned char *bytes, long length)
{
  ASN1_SEQUENCE_ANY *file = d2i_ASN1_SEQUENCE_ANY (NULL, &bytes, length);
  ASN1_SEQUENCE_ANY *outer = NULL == file ? NULL : open_content (sk_ASN1_TYPE_value (file, 1), NID_pkcs7_data);
  ASN1_OCTET_STRING *content = NULL;
  ASN1_SEQUENCE_ANY *safes = NULL;
  int result = 0;
  if (NULL != outer)
  {
    const ASN1_STRING *wrapped = sk_ASN1_TYPE_value (outer, 1)->value.asn1_string;
    const unsigned char *at = wrapped->data;
    long rest = wrapped->length;
    int tag = 0;
    int class = 0;
    if (0 == (0x80 & ASN1_get_object (&at, &rest, &tag, &class, rest)))
      content = d2i_ASN1_OCTET_STRING (NULL, &at, wrapped->data + wrapped->length - at);
  }
  if (NULL != content)
  {
    const unsigned char *at = content->data;
    safes = d2i_ASN1_SEQUENCE_ANY (NULL, &at, content->length);
    result = NULL != safes;
  }
  for (int i = 0; i < sk_ASN1_TYPE_num (safes); i++)
    result = result
             && (has_type (sk_ASN1_TYPE_value (safes, i), NID_pkcs7_data)
                 || has_type (sk_ASN1_TYPE_value (safes, i), NID_pkcs7_encrypted));
  sk_ASN1_TYPE_pop_free (safes, ASN1_TYPE_free);
  ASN1_OCTET_STRING_free (content);
  sk_ASN1_TYPE_pop_free (outer, ASN1_TYPE_free);
  sk_ASN1_TYPE_pop_free (file, ASN1_TYPE_free);
  return result;
}

int
countersign_openssl_open_pkcs12 (const unsigned char *bytes, long length, long limit, EVP_PKEY **key, BIO *chain)
{
  struct reader reader = { NULL, limit, NULL, sk_X509_new_null (), 0 };
  PKCS12 *file;
  int result = COUNTERSIGN_KEY_MALFORMED;
  pthread_once (&once, load_library);
  file = NULL == library ? NULL : PKCS12_init_ex (NID_pkcs7_data, library, NULL);
  if (NULL != file && NULL != reader.certificates && length <= COUNTERSIGN_FILE_LIMIT && is_plain (bytes, length)
      && NULL != d2i_PKCS12 (&file, &bytes, length))
  {
    STACK_OF (PKCS7) *safes;
    result = find_password (&reader, file);
    safes = COUNTERSIGN_KEY_READ == result ? PKCS12_unpack_authsafes (file) : NULL;
    if (COUNTERSIGN_KEY_READ == result && (NULL == safes || sk_PKCS7_num (safes) > bag_limit))
      result = COUNTERSIGN_KEY_MALFORMED;
    for (int i = 0; i < sk_PKCS7_num (safes) && COUNTERSIGN_KEY_READ == result; i++)
      result = read_safe (&reader, sk_PKCS7_value (safes, i));
    sk_PKCS7_pop_free (safes, PKCS7_free);
    if (COUNTERSIGN_KEY_READ == result)
      result = NULL == reader.key ? COUNTERSIGN_KEY_INCOMPLETE : write_chain (&reader, chain);
  }
  if (COUNTERSIGN_KEY_READ == result)
    *key = reader.key;
  else
    EVP_PKEY_free (reader.key);
  sk_X509_pop_free (reader.certificates, X509_free);
  PKCS12_free (file);
  ERR_clear_error ();
  return result;
}
