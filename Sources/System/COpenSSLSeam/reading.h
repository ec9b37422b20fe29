#ifndef COUNTERSIGN_OPENSSL_READING_H
#define COUNTERSIGN_OPENSSL_READING_H

#include <openssl/evp.h>
#include <openssl/x509.h>

/* Checks of keys that strangers wrote, before OpenSSL computes with them. */

/* Bytes of a file at most, of an RSA key in it, and of a certificate in it. An RSA key of 8,192 bits has less than
   6 KB. */
enum
{
  COUNTERSIGN_FILE_LIMIT = 65536,
  COUNTERSIGN_KEY_LIMIT = 8192,
  COUNTERSIGN_CERTIFICATE_LIMIT = 8192
};

/* Bits of a modulus at most. */
enum { COUNTERSIGN_MODULUS_LIMIT = 8192 };

/* Part of a DER encoding. */
struct countersign_span
{
  const unsigned char *at;
  const unsigned char *end;
};

static inline int
countersign_is_at_end (struct countersign_span span)
{
  return span.at == span.end;
}

static inline long
countersign_length (struct countersign_span span)
{
  return span.end - span.at;
}

/* Takes the next element, which must have that tag and a definite length. Returns 1, or 0 for anything else. */
int countersign_take (struct countersign_span *from, int tag, int class, struct countersign_span *content);

/* Takes a positive integer, of which `number` gets the bytes without leading zeros. Returns its bits, or -1. */
int countersign_take_number (struct countersign_span *from, struct countersign_span *number);

/* True for an odd public exponent from 3 that has at most `limit` bits, of which it has `bits`. */
int countersign_is_exponent (struct countersign_span number, int bits, int limit);

/* The curve that an algorithm names, or NID_undef for explicit parameters. */
int countersign_curve (const X509_ALGOR *algorithm);

/* Decodes a private key whose kind and sizes are allowed. Returns an outcome. Sets `key` for COUNTERSIGN_KEY_READ. */
int countersign_decode_key (const PKCS8_PRIV_KEY_INFO *info, EVP_PKEY **key);

#endif
