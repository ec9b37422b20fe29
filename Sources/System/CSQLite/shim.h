#ifndef CSQLite_SHIM_H
#define CSQLite_SHIM_H
#include <sqlite3.h>

/* Swift cannot call C variadics. Ends SQLite's count of the memory it uses, which takes a lock of the whole process for
   each piece. Has an effect before the first connection only. */
static inline int
countersign_sqlite_count_no_memory (void)
{
  return sqlite3_config (SQLITE_CONFIG_MEMSTATUS, 0);
}

#endif
