#include <openssl/crypto.h>

/* Initializes OpenSSL before anything else does, such as libcurl, which would have it free its tables when the process
   exits: threads that nobody waits for, such as those of an abandoned check or of a closed transport, still use them
   then. The system takes the memory back anyway. */
__attribute__ ((constructor)) static void
start (void)
{
  OPENSSL_init_crypto (OPENSSL_INIT_NO_ATEXIT, NULL);
}
