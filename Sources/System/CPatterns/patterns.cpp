#include "patterns.h"

#include <new>

#include <re2/re2.h>

// No exception may reach Swift, so each allocating function catches all.

struct cpatterns_pattern {
    RE2 expression;

    cpatterns_pattern(const re2::StringPiece &source, const RE2::Options &options) : expression(source, options) {}
};

static cpatterns_status status_of(RE2::ErrorCode code) {
    switch (code) {
    case RE2::NoError: return CPATTERNS_OK;
    case RE2::ErrorRepeatSize:
    case RE2::ErrorPatternTooLarge: return CPATTERNS_TOO_LARGE;
    default: return CPATTERNS_UNKNOWN_SYNTAX;
    }
}

cpatterns_pattern *cpatterns_create(const char *source, size_t length, int64_t memory, cpatterns_status *status) {
    try {
        RE2::Options options;
        options.set_encoding(RE2::Options::EncodingUTF8);
        // Keeps tenants' patterns out of this process's standard error.
        options.set_log_errors(false);
        options.set_never_capture(true);
        options.set_max_mem(memory);
        auto *pattern = new cpatterns_pattern(re2::StringPiece(source, length), options);
        *status = status_of(pattern->expression.error_code());
        if (pattern->expression.ok()) return pattern;
        delete pattern;
    } catch (...) {
        *status = CPATTERNS_OUT_OF_MEMORY;
    }
    return nullptr;
}

int32_t cpatterns_size(const cpatterns_pattern *pattern) { return pattern->expression.ProgramSize(); }

cpatterns_verdict cpatterns_match(const cpatterns_pattern *pattern, const char *text, size_t length) {
    try {
        // Anchored at the start and without groups: RE2 then needs no program for searching backwards, which it would
        // compile within the first match.
        const re2::StringPiece piece(text, length);
        const bool matches = pattern->expression.Match(piece, 0, length, RE2::ANCHOR_START, nullptr, 0);
        return matches ? CPATTERNS_MATCH : CPATTERNS_NO_MATCH;
    } catch (...) {
        return CPATTERNS_FAILED;
    }
}

void cpatterns_destroy(cpatterns_pattern *pattern) { delete pattern; }
