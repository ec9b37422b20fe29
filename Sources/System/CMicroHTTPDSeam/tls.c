#include "countersign_mhd_seam.h"

#include <gnutls/x509.h>
#include <string.h>

gnutls_session_t
countersign_mhd_session (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info (connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  return NULL == info ? NULL : (gnutls_session_t) info->tls_session;
}

/* Bits of a client's RSA key at most, as in a JWK. GnuTLS has no limits. A modulus and an exponent of 131,072 bits fit
   its messages, and a signature by such a key, right or wrong, takes more than a minute to check. */
static const unsigned int modulus_limit = 8192;
static const unsigned int exponent_limit = 64;

/* Bits of a number, big-endian. */
static unsigned int
bits_of (const gnutls_datum_t *number)
{
  unsigned int zeros = 0;
  unsigned int bits;
  while (zeros < number->size && 0 == number->data[zeros])
    zeros++;
  if (zeros == number->size)
    return 0;
  bits = (number->size - zeros) * 8;
  for (unsigned char first = number->data[zeros]; 0 == (first & 0x80); first = (unsigned char) (first << 1))
    bits--;
  return bits;
}

static int
is_bounded_rsa (gnutls_x509_crt_t certificate)
{
  gnutls_datum_t modulus;
  gnutls_datum_t exponent;
  int result;
  if (0 != gnutls_x509_crt_get_pk_rsa_raw (certificate, &modulus, &exponent))
    return 0;
  result = bits_of (&modulus) <= modulus_limit && bits_of (&exponent) <= exponent_limit;
  gnutls_free (modulus.data);
  gnutls_free (exponent.data);
  return result;
}

/* True if the signature of the certificate's key costs little to check. Reading a certificate computes nothing. */
static int
is_bounded (const gnutls_datum_t *der)
{
  gnutls_x509_crt_t certificate;
  int result = 0;
  if (0 != gnutls_x509_crt_init (&certificate))
    return 0;
  if (0 == gnutls_x509_crt_import (certificate, der, GNUTLS_X509_FMT_DER))
    switch (gnutls_x509_crt_get_pk_algorithm (certificate, NULL))
    {
    case GNUTLS_PK_RSA:
    case GNUTLS_PK_RSA_PSS:
      result = is_bounded_rsa (certificate);
      break;
    case GNUTLS_PK_ECDSA:
    case GNUTLS_PK_EDDSA_ED25519:
    case GNUTLS_PK_EDDSA_ED448:
      result = 1;
      break;
    default:
      break;
    }
  gnutls_x509_crt_deinit (certificate);
  return result;
}

/* Takes the length in three bytes at `*place` (RFC 8446 clause 4.4.2). Returns -1 if so much does not follow. */
static long
take_length (const gnutls_datum_t *message, size_t *place)
{
  const unsigned char *bytes = message->data + *place;
  size_t length;
  if (message->size - *place < 3)
    return -1;
  length = (size_t) bytes[0] << 16 | (size_t) bytes[1] << 8 | bytes[2];
  *place += 3;
  return length <= message->size - *place ? (long) length : -1;
}

/* Checks the client's first certificate, whose key signs the handshake, when the message with it comes. A callback that
   verifies certificates would come after the check of the signature in TLS 1.3. */
static int
check_certificate (gnutls_session_t session, unsigned int type, unsigned int when, unsigned int incoming,
                   const gnutls_datum_t *message)
{
  size_t place = 0;
  long length;
  gnutls_datum_t first;
  (void) type;
  (void) when;
  if (!incoming)
    return 0;
  if (GNUTLS_TLS1_3 == gnutls_protocol_get_version (session))
  {
    /* The context of the request, which is empty in a handshake. */
    if (message->size < 1 || 0 != message->data[0])
      return GNUTLS_E_UNEXPECTED_PACKET_LENGTH;
    place = 1;
  }
  length = take_length (message, &place);
  /* A client may have no certificate. */
  if (0 == length)
    return 0;
  length = length < 0 ? -1 : take_length (message, &place);
  if (length <= 0)
    return GNUTLS_E_UNEXPECTED_PACKET_LENGTH;
  first.data = message->data + place;
  first.size = (unsigned int) length;
  return is_bounded (&first) ? 0 : GNUTLS_E_CERTIFICATE_ERROR;
}

void
countersign_mhd_request_certificate (struct MHD_Connection *connection)
{
  gnutls_session_t session = countersign_mhd_session (connection);
  if (NULL == session)
    return;
  gnutls_handshake_set_hook_function (session, GNUTLS_HANDSHAKE_CERTIFICATE_PKT, GNUTLS_HOOK_PRE, check_certificate);
  gnutls_certificate_server_set_request (session, GNUTLS_CERT_REQUEST);
}

int
countersign_mhd_set_certificate (gnutls_certificate_credentials_t credentials, const char *certificates,
                                 const char *private_key)
{
  const gnutls_datum_t chain = { (unsigned char *) certificates, (unsigned int) strlen (certificates) };
  const gnutls_datum_t key = { (unsigned char *) private_key, (unsigned int) strlen (private_key) };
  return gnutls_certificate_set_x509_key_mem (credentials, &chain, &key, GNUTLS_X509_FMT_PEM);
}

void
countersign_mhd_use_certificate (struct MHD_Connection *connection, gnutls_certificate_credentials_t credentials)
{
  gnutls_session_t session = countersign_mhd_session (connection);
  if (NULL != session)
    gnutls_credentials_set (session, GNUTLS_CRD_CERTIFICATE, credentials);
}

const gnutls_datum_t *
countersign_mhd_certificates (struct MHD_Connection *connection, unsigned int *count)
{
  gnutls_session_t session = countersign_mhd_session (connection);
  *count = 0;
  if (NULL == session || GNUTLS_CRT_X509 != gnutls_certificate_type_get2 (session, GNUTLS_CTYPE_CLIENT))
    return NULL;
  return gnutls_certificate_get_peers (session, count);
}
