#ifndef CFIDO2_SHIM_H
#define CFIDO2_SHIM_H
#include <cbor.h>
#include <fido.h>
#include <fido/es256.h>
#include <fido/rs256.h>
#endif
