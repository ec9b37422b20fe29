#include "countersign_openssl_seam.h"
#include "reading.h"

#include <openssl/err.h>

/* Bits, as in a JWK. */
static const int exponent_limit = 64;

/* Takes the algorithm and the public key out of a certificate (RFC 5280 clause 4.1). */
static int
take_public_key (struct countersign_span file, X509_ALGOR **algorithm, struct countersign_span *key)
{
  struct countersign_span certificate;
  struct countersign_span body;
  struct countersign_span part;
  if (!countersign_take (&file, V_ASN1_SEQUENCE, V_ASN1_UNIVERSAL, &certificate) || !countersign_is_at_end (file)
      || !countersign_take (&certificate, V_ASN1_SEQUENCE, V_ASN1_UNIVERSAL, &body))
    return 0;
  /* Certificates of version 1 do not state it. */
  (void) countersign_take (&body, 0, V_ASN1_CONTEXT_SPECIFIC, &part);
  if (!countersign_take (&body, V_ASN1_INTEGER, V_ASN1_UNIVERSAL, &part))
    return 0;
  /* The signature's algorithm, issuer, validity, subject, and then the key. */
  for (int i = 0; i < 5; i++)
    if (!countersign_take (&body, V_ASN1_SEQUENCE, V_ASN1_UNIVERSAL, &part))
      return 0;
  *algorithm = d2i_X509_ALGOR (NULL, &part.at, countersign_length (part));
  if (NULL == *algorithm || !countersign_take (&part, V_ASN1_BIT_STRING, V_ASN1_UNIVERSAL, key)
      || !countersign_is_at_end (part) || countersign_is_at_end (*key))
    return 0;
  /* Unused bits, of which a key has none. */
  return 0 == *key->at++;
}

/* RSAPublicKey (RFC 8017 appendix A.1.1). Small moduli of old authorities cost nothing. */
static int
is_bounded_rsa (struct countersign_span bytes)
{
  struct countersign_span content;
  struct countersign_span modulus;
  struct countersign_span exponent;
  int bits;
  int exponent_bits;
  if (!countersign_take (&bytes, V_ASN1_SEQUENCE, V_ASN1_UNIVERSAL, &content) || !countersign_is_at_end (bytes))
    return 0;
  bits = countersign_take_number (&content, &modulus);
  exponent_bits = countersign_take_number (&content, &exponent);
  return bits >= 0 && bits <= COUNTERSIGN_MODULUS_LIMIT && countersign_is_at_end (content)
         && countersign_is_exponent (exponent, exponent_bits, exponent_limit);
}

/* True for a certificate whose key OpenSSL decodes and uses at small cost. */
static int
is_bounded (const unsigned char *bytes, size_t length)
{
  const struct countersign_span file = { bytes, bytes + length };
  struct countersign_span key;
  X509_ALGOR *algorithm = NULL;
  const ASN1_OBJECT *name = NULL;
  int result = 0;
  if (take_public_key (file, &algorithm, &key))
  {
    X509_ALGOR_get0 (&name, NULL, NULL, algorithm);
    switch (OBJ_obj2nid (name))
    {
    case NID_rsaEncryption:
    case NID_rsassaPss:
      result = is_bounded_rsa (key);
      break;
    case NID_X9_62_id_ecPublicKey:
      /* A compressed point costs a square root, which on a curve of the author's choice takes a tenth of a second. */
      result = NID_undef != countersign_curve (algorithm);
      break;
    case NID_ED25519:
    case NID_ED448:
      result = 1;
      break;
    default:
      break;
    }
  }
  X509_ALGOR_free (algorithm);
  return result;
}

X509 *
countersign_openssl_read_certificate (const unsigned char *bytes, size_t length)
{
  X509 *certificate = is_bounded (bytes, length) ? d2i_X509 (NULL, &bytes, (long) length) : NULL;
  ERR_clear_error ();
  return certificate;
}
