#ifndef CMaxMindDB_SHIM_H
#define CMaxMindDB_SHIM_H
#include <maxminddb.h>
#endif
