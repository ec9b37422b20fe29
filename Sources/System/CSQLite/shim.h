#ifndef CSQLite_SHIM_H
#define CSQLite_SHIM_H
#include <sqlite3.h>

/* Ends SQLite's count of its memory, which takes a lock of the whole process for each piece. Works only before the first
   connection. Swift cannot call C variadics. */
static inline int
countersign_sqlite_count_no_memory (void)
{
  return sqlite3_config (SQLITE_CONFIG_MEMSTATUS, 0);
}

#endif
