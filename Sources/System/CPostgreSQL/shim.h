#ifndef CPostgreSQL_SHIM_H
#define CPostgreSQL_SHIM_H
#include <libpq-fe.h>

#endif
