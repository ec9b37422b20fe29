#ifndef CPATTERNS_H
#define CPATTERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A regular expression that RE2 compiled. Threads may share one.
typedef struct cpatterns_pattern cpatterns_pattern;

typedef enum {
    CPATTERNS_OK = 0,
    /// The program does not fit the memory, or a repetition is beyond RE2's own limit.
    CPATTERNS_TOO_LARGE = 1,
    /// RE2 does not know a construct.
    CPATTERNS_UNKNOWN_SYNTAX = 2,
    CPATTERNS_OUT_OF_MEMORY = 3,
} cpatterns_status;

/// Compiles `length` bytes of UTF-8 in RE2's syntax. `memory` bounds the bytes of the program and of what matching keeps.
/// Returns NULL, and the reason in `status`, if RE2 refuses the pattern.
cpatterns_pattern *cpatterns_create(const char *source, size_t length, int64_t memory, cpatterns_status *status);

/// Number of instructions: for each byte of a text, matching looks at each of them at most once.
int32_t cpatterns_size(const cpatterns_pattern *pattern);

typedef enum {
    CPATTERNS_NO_MATCH = 0,
    CPATTERNS_MATCH = 1,
    /// Memory ran out.
    CPATTERNS_FAILED = 2,
} cpatterns_verdict;

/// Tells whether the pattern matches at the beginning of `length` bytes of UTF-8.
cpatterns_verdict cpatterns_match(const cpatterns_pattern *pattern, const char *text, size_t length);

void cpatterns_destroy(cpatterns_pattern *pattern);

#ifdef __cplusplus
}
#endif

#endif
