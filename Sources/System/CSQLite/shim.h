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

/* The schema is that of anybody who can write the file. A trigger may refuse a change, as those of the audit log do, but not make
   one. */
static int
countersign_sqlite_authorize (void *context, int action, const char *first, const char *second, const char *database,
                              const char *within)
{
  int changes = action == SQLITE_INSERT || action == SQLITE_UPDATE || action == SQLITE_DELETE;
  (void) context, (void) first, (void) second, (void) database;
  return within && changes ? SQLITE_DENY : SQLITE_OK;
}

/* Turns views off, which this program has none of, and limits triggers. */
static inline int
countersign_sqlite_distrust_schema (sqlite3 *connection)
{
  int code = sqlite3_db_config (connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *) 0);
  return code == SQLITE_OK ? sqlite3_set_authorizer (connection, countersign_sqlite_authorize, 0) : code;
}

#endif
