#include "countersign_openssl_seam.h"
#include "reading.h"

#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <string.h>

/* OpenSSL computes the public half of a DSA, DH or EC key while it decodes the private one: with numbers of any size,
   and on curves of the author's choice. It decodes an RSA key of any size, and the cost of a signature grows with the
   cube of the size. So kinds and sizes are read here first, without arithmetic. */

static const int modulus_minimum = 2048;
static const int exponent_limit = 32;
/* Bits by which a prime may be longer than half of its modulus. */
static const int imbalance_limit = 64;

int
countersign_take (struct countersign_span *from, int tag, int class, struct countersign_span *content)
{
  const unsigned char *start = from->at;
  long length = 0;
  int found_tag = 0;
  int found_class = 0;
  int flags;
  if (from->at >= from->end)
    return 0;
  flags = ASN1_get_object (&start, &length, &found_tag, &found_class, from->end - from->at);
  /* Flag 0x80 is an error, and 0x01 an indefinite length. */
  if (0 != (flags & 0x81) || found_tag != tag || found_class != class || length > from->end - start)
    return 0;
  content->at = start;
  content->end = start + length;
  from->at = content->end;
  return 1;
}

int
countersign_take_number (struct countersign_span *from, struct countersign_span *number)
{
  int bits;
  if (!countersign_take (from, V_ASN1_INTEGER, V_ASN1_UNIVERSAL, number) || countersign_is_at_end (*number)
      || 0 != (*number->at & 0x80))
    return -1;
  while (!countersign_is_at_end (*number) && 0 == *number->at)
    number->at++;
  if (countersign_is_at_end (*number) || countersign_length (*number) > COUNTERSIGN_KEY_LIMIT)
    return -1;
  bits = (int) countersign_length (*number) * 8;
  for (unsigned char first = *number->at; 0 == (first & 0x80); first = (unsigned char) (first << 1))
    bits--;
  return bits;
}

static int
take_small_number (struct countersign_span *from, int value)
{
  struct countersign_span content;
  return countersign_take (from, V_ASN1_INTEGER, V_ASN1_UNIVERSAL, &content) && 1 == countersign_length (content)
         && value == *content.at;
}

int
countersign_is_exponent (struct countersign_span number, int bits, int limit)
{
  return bits >= 2 && bits <= limit && 1 == (number.end[-1] & 1);
}

/* True if the modulus is the product of the primes. The sizes must have been checked. */
static int
is_product (struct countersign_span modulus, struct countersign_span first, struct countersign_span second)
{
  BN_CTX *context = BN_CTX_new ();
  BIGNUM *n = BN_bin2bn (modulus.at, (int) countersign_length (modulus), NULL);
  BIGNUM *p = BN_bin2bn (first.at, (int) countersign_length (first), NULL);
  BIGNUM *q = BN_bin2bn (second.at, (int) countersign_length (second), NULL);
  BIGNUM *product = BN_new ();
  int result = NULL != context && NULL != n && NULL != p && NULL != q && NULL != product
               && 1 == BN_mul (product, p, q, context) && 0 == BN_cmp (product, n);
  BN_clear_free (p);
  BN_clear_free (q);
  BN_free (product);
  BN_free (n);
  BN_CTX_free (context);
  return result;
}

/* RSAPrivateKey (RFC 8017 appendix A.1.2). */
static int
check_rsa (struct countersign_span bytes)
{
  enum { N, E, D, P, Q, DP, DQ, QI, COUNT };
  struct countersign_span content;
  struct countersign_span number[COUNT];
  int bits[COUNT];
  int prime_limit;
  if (countersign_length (bytes) > COUNTERSIGN_KEY_LIMIT)
    return COUNTERSIGN_KEY_SIZE;
  if (!countersign_take (&bytes, V_ASN1_SEQUENCE, V_ASN1_UNIVERSAL, &content) || !countersign_is_at_end (bytes))
    return COUNTERSIGN_KEY_MALFORMED;
  /* Version 1 has more than two primes. */
  if (!take_small_number (&content, 0))
    return COUNTERSIGN_KEY_TYPE;
  for (int i = 0; i < COUNT; i++)
  {
    bits[i] = countersign_take_number (&content, &number[i]);
    if (bits[i] < 0)
      return COUNTERSIGN_KEY_MALFORMED;
  }
  if (!countersign_is_at_end (content))
    return COUNTERSIGN_KEY_MALFORMED;
  if (bits[N] < modulus_minimum || bits[N] > COUNTERSIGN_MODULUS_LIMIT
      || !countersign_is_exponent (number[E], bits[E], exponent_limit))
    return COUNTERSIGN_KEY_SIZE;
  prime_limit = (bits[N] + 1) / 2 + imbalance_limit;
  if (bits[D] > bits[N] || bits[P] > prime_limit || bits[Q] > prime_limit || bits[DP] > bits[P] || bits[DQ] > bits[Q]
      || bits[QI] > bits[P] || !is_product (number[N], number[P], number[Q]))
    return COUNTERSIGN_KEY_MALFORMED;
  return COUNTERSIGN_KEY_READ;
}

/* Bytes of a coordinate, or 0 for a curve that is not used here. */
static int
size_of_curve (int curve)
{
  switch (curve)
  {
  case NID_X9_62_prime256v1:
    return 32;
  case NID_secp384r1:
    return 48;
  case NID_secp521r1:
    return 66;
  default:
    return 0;
  }
}

int
countersign_curve (const X509_ALGOR *algorithm)
{
  const void *value = NULL;
  int type = V_ASN1_UNDEF;
  X509_ALGOR_get0 (NULL, &type, &value, algorithm);
  return V_ASN1_OBJECT == type ? OBJ_obj2nid (value) : NID_undef;
}

/* ECPrivateKey (RFC 5915 clause 3). Its own parameters, which OpenSSL prefers to those of PKCS #8, must name `curve`.
   Sets `inside` to the curve that they name, or to NID_undef without parameters. For NID_undef as `curve` they are
   required. */
static int
check_ec (struct countersign_span bytes, int curve, int *inside)
{
  struct countersign_span content;
  struct countersign_span secret;
  struct countersign_span part;
  int size;
  *inside = NID_undef;
  if (!countersign_take (&bytes, V_ASN1_SEQUENCE, V_ASN1_UNIVERSAL, &content) || !countersign_is_at_end (bytes)
      || !take_small_number (&content, 1)
      || !countersign_take (&content, V_ASN1_OCTET_STRING, V_ASN1_UNIVERSAL, &secret))
    return COUNTERSIGN_KEY_MALFORMED;
  if (countersign_take (&content, 0, V_ASN1_CONTEXT_SPECIFIC, &part))
  {
    ASN1_OBJECT *name = d2i_ASN1_OBJECT (NULL, &part.at, countersign_length (part));
    *inside = NULL == name || !countersign_is_at_end (part) ? NID_undef : OBJ_obj2nid (name);
    ASN1_OBJECT_free (name);
    if (NID_undef == curve)
      curve = *inside;
    if (*inside != curve)
      return COUNTERSIGN_KEY_TYPE;
  }
  size = size_of_curve (curve);
  if (0 == size)
    return COUNTERSIGN_KEY_TYPE;
  /* Some programs write a zero byte before the number. */
  if (countersign_is_at_end (secret) || countersign_length (secret) > size + 1)
    return COUNTERSIGN_KEY_MALFORMED;
  if (countersign_take (&content, 1, V_ASN1_CONTEXT_SPECIFIC, &part) && countersign_length (part) > 2 * size + 16)
    return COUNTERSIGN_KEY_MALFORMED;
  return countersign_is_at_end (content) ? COUNTERSIGN_KEY_READ : COUNTERSIGN_KEY_MALFORMED;
}

int
countersign_decode_key (const PKCS8_PRIV_KEY_INFO *info, EVP_PKEY **key)
{
  const ASN1_OBJECT *name = NULL;
  const X509_ALGOR *algorithm = NULL;
  struct countersign_span content;
  int length = 0;
  int curve;
  int inside;
  int result;
  if (1 != PKCS8_pkey_get0 (&name, &content.at, &length, &algorithm, info) || NULL == content.at || length <= 0)
    return COUNTERSIGN_KEY_MALFORMED;
  content.end = content.at + length;
  switch (OBJ_obj2nid (name))
  {
  case NID_rsaEncryption:
    result = check_rsa (content);
    break;
  case NID_X9_62_id_ecPublicKey:
    curve = countersign_curve (algorithm);
    result = 0 == size_of_curve (curve) ? COUNTERSIGN_KEY_TYPE : check_ec (content, curve, &inside);
    break;
  case NID_ED25519:
    /* An octet string of 32 bytes (RFC 8410 clause 7). */
    result = 34 == length ? COUNTERSIGN_KEY_READ : COUNTERSIGN_KEY_MALFORMED;
    break;
  default:
    result = COUNTERSIGN_KEY_TYPE;
  }
  if (COUNTERSIGN_KEY_READ != result)
    return result;
  *key = EVP_PKCS82PKEY (info);
  if (NULL == *key)
    return COUNTERSIGN_KEY_MALFORMED;
  if (EVP_PKEY_get_bits (*key) <= COUNTERSIGN_MODULUS_LIMIT)
    return COUNTERSIGN_KEY_READ;
  EVP_PKEY_free (*key);
  *key = NULL;
  return COUNTERSIGN_KEY_SIZE;
}

int
countersign_openssl_read_pkcs8 (const unsigned char *bytes, size_t length, EVP_PKEY **key)
{
  const unsigned char *rest = bytes;
  PKCS8_PRIV_KEY_INFO *info;
  int result;
  if (length > COUNTERSIGN_FILE_LIMIT)
    return COUNTERSIGN_KEY_MALFORMED;
  info = d2i_PKCS8_PRIV_KEY_INFO (NULL, &rest, (long) length);
  result = NULL == info || rest != bytes + length ? COUNTERSIGN_KEY_MALFORMED : countersign_decode_key (info, key);
  PKCS8_PRIV_KEY_INFO_free (info);
  ERR_clear_error ();
  return result;
}

/* Decodes the older forms, which have the inner part of PKCS #8 alone. */
static int
read_inner (const unsigned char *bytes, long length, int type, EVP_PKEY **key)
{
  PKCS8_PRIV_KEY_INFO *info = PKCS8_PRIV_KEY_INFO_new ();
  unsigned char *copy = OPENSSL_memdup (bytes, (size_t) length);
  const struct countersign_span content = { bytes, bytes + length };
  int curve = NID_undef;
  int result = NID_X9_62_id_ecPublicKey == type ? check_ec (content, NID_undef, &curve) : COUNTERSIGN_KEY_READ;
  if (COUNTERSIGN_KEY_READ == result)
  {
    result = COUNTERSIGN_KEY_MALFORMED;
    if (NULL != info && NULL != copy
        && 1 == PKCS8_pkey_set0 (info, OBJ_nid2obj (type), 0, NID_undef == curve ? V_ASN1_NULL : V_ASN1_OBJECT,
                                 NID_undef == curve ? NULL : OBJ_nid2obj (curve), copy, (int) length))
    {
      /* `info` owns it now, and clears it. */
      copy = NULL;
      result = countersign_decode_key (info, key);
    }
  }
  OPENSSL_clear_free (copy, (size_t) length);
  PKCS8_PRIV_KEY_INFO_free (info);
  return result;
}

static int
ends_with (const char *text, const char *end)
{
  const size_t length = strlen (text);
  const size_t count = strlen (end);
  return length >= count && 0 == strcmp (text + length - count, end);
}

/* Decodes one block. Returns -1 for a block without a private key. */
static int
read_block (const char *label, const char *header, const unsigned char *bytes, long length, EVP_PKEY **key)
{
  if (!ends_with (label, "PRIVATE KEY"))
    return -1;
  /* The older forms are encrypted with a header of RFC 1421. */
  if (0 == strcmp (label, "ENCRYPTED PRIVATE KEY") || '\0' != *header)
    return COUNTERSIGN_KEY_PASSWORD;
  if (0 == strcmp (label, "PRIVATE KEY"))
    return countersign_openssl_read_pkcs8 (bytes, (size_t) length, key);
  if (0 == strcmp (label, "RSA PRIVATE KEY"))
    return read_inner (bytes, length, NID_rsaEncryption, key);
  if (0 == strcmp (label, "EC PRIVATE KEY"))
    return read_inner (bytes, length, NID_X9_62_id_ecPublicKey, key);
  return COUNTERSIGN_KEY_TYPE;
}

int
countersign_openssl_read_pem (const unsigned char *bytes, size_t length, EVP_PKEY **key)
{
  BIO *source = length > COUNTERSIGN_FILE_LIMIT ? NULL : BIO_new_mem_buf (bytes, (int) length);
  int result = -1;
  char *label = NULL;
  char *header = NULL;
  unsigned char *content = NULL;
  long count = 0;
  while (result < 0 && NULL != source && 1 == PEM_read_bio (source, &label, &header, &content, &count))
  {
    result = read_block (label, header, content, count, key);
    OPENSSL_free (label);
    OPENSSL_free (header);
    OPENSSL_clear_free (content, (size_t) count);
  }
  BIO_free (source);
  ERR_clear_error ();
  return result < 0 ? COUNTERSIGN_KEY_MALFORMED : result;
}
