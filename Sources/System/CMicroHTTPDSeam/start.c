#include "countersign_mhd_seam.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void
countersign_mhd_complain (void *context, const char *format, va_list arguments)
{
  struct countersign_mhd_complaint *complaint = (struct countersign_mhd_complaint *) context;
  if (complaint->open)
    vsnprintf (complaint->text, sizeof (complaint->text), format, arguments);
}

/* Leaves targets and arguments encoded: the router decodes them. */
static size_t
countersign_mhd_keep_escapes (void *context, struct MHD_Connection *connection, char *text)
{
  (void) context;
  (void) connection;
  return strlen (text);
}

struct MHD_Daemon *
countersign_mhd_start (const struct countersign_mhd_settings *settings, struct countersign_mhd_complaint *complaint)
{
  struct MHD_OptionItem options[16];
  size_t count = 0;
  unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC
                       | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG;
  struct MHD_Daemon *daemon;

#define COUNTERSIGN_OPTION(name, number, pointer) \
  do { \
    options[count].option = (name); \
    options[count].value = (intptr_t) (number); \
    options[count].ptr_value = (void *) (pointer); \
    count++; \
  } while (0)
  COUNTERSIGN_OPTION (MHD_OPTION_NOTIFY_COMPLETED, settings->completed, settings->context);
  COUNTERSIGN_OPTION (MHD_OPTION_NOTIFY_CONNECTION, settings->connection, settings->context);
  COUNTERSIGN_OPTION (MHD_OPTION_URI_LOG_CALLBACK, settings->target, settings->context);
  COUNTERSIGN_OPTION (MHD_OPTION_UNESCAPE_CALLBACK, countersign_mhd_keep_escapes, NULL);
  COUNTERSIGN_OPTION (MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory, NULL);
  COUNTERSIGN_OPTION (MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_timeout, NULL);
  /* The listener counts connections. A limit here would make the library wait and not refuse. */
  COUNTERSIGN_OPTION (MHD_OPTION_CONNECTION_LIMIT, 0x7fffffff, NULL);
  if (settings->threads > 1)
    COUNTERSIGN_OPTION (MHD_OPTION_THREAD_POOL_SIZE, settings->threads, NULL);
  if (NULL != settings->certificates)
  {
    flags |= MHD_USE_TLS;
    COUNTERSIGN_OPTION (MHD_OPTION_HTTPS_MEM_CERT, 0, settings->certificates);
    COUNTERSIGN_OPTION (MHD_OPTION_HTTPS_MEM_KEY, 0, settings->private_key);
    COUNTERSIGN_OPTION (MHD_OPTION_HTTPS_PRIORITIES, 0, settings->priorities);
  }
  COUNTERSIGN_OPTION (MHD_OPTION_END, 0, NULL);
#undef COUNTERSIGN_OPTION

  complaint->open = 1;
  daemon = MHD_start_daemon (flags, 0, NULL, NULL, settings->handle, settings->context,
                             MHD_OPTION_EXTERNAL_LOGGER, &countersign_mhd_complain, complaint,
                             MHD_OPTION_ARRAY, options, MHD_OPTION_END);
  complaint->open = 0;
  return daemon;
}
