#include "countersign_mhd_seam.h"

#include <string.h>

gnutls_session_t
countersign_mhd_session (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info (connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  return NULL == info ? NULL : (gnutls_session_t) info->tls_session;
}

void
countersign_mhd_request_certificate (struct MHD_Connection *connection)
{
  gnutls_session_t session = countersign_mhd_session (connection);
  if (NULL != session)
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
