#!/usr/bin/env bash
# Runs the test suite under the thread sanitizer. Arguments go to `swift test`. Every race that was seen is printed at
# the end, and is a failure even where every expectation held.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=.build/tsan
reports=$PWD/$scratch/reports
rm -rf "$reports" "$scratch"/check-*
mkdir -p "$reports"
clang -O2 -Wall -Werror -shared -fPIC scripts/tsan/mutex.c -o "$scratch/mutex.so"

# The sanitizer wants its shadow memory at fixed addresses, which some kernels' address randomisation takes.
fixed=()
if command -v setarch >/dev/null && setarch --addr-no-randomize true 2>/dev/null; then
    fixed=(setarch --addr-no-randomize)
fi
# A race ends nothing: all are found in one run, those of processes that tests start too.
sanitized() {
    local log=$1
    shift
    "${fixed[@]}" env SWIFT_BACKTRACE=enable=no LD_PRELOAD="$PWD/$scratch/mutex.so" \
        TSAN_OPTIONS="halt_on_error=0 exitcode=0 log_path=$log ${TSAN_OPTIONS:-}" "$@"
}

echo "== the sanitizer sees a race, and sees a mutex"
swiftc -parse-as-library -sanitize=thread scripts/tsan/check.swift -o "$scratch/check"
for kind in guarded racy; do sanitized "$scratch/check-$kind" "$scratch/check" "$kind"; done
compgen -G "$scratch/check-racy.*" >/dev/null || { echo "error: a race was not reported" >&2; exit 1; }
if compgen -G "$scratch/check-guarded.*" >/dev/null; then
    cat "$scratch"/check-guarded.*
    echo "error: what a mutex guards was reported as a race: scripts/tsan/mutex.c does not fit this toolchain" >&2
    exit 1
fi

swift build --build-tests --sanitize thread --scratch-path "$scratch"
status=0
sanitized "$reports/race" swift test --skip-build --disable-xctest --sanitize thread --scratch-path "$scratch" "$@" ||
    status=$?
if compgen -G "$reports/race.*" >/dev/null; then
    cat "$reports"/race.*
    echo "error: $(cat "$reports"/race.* | grep -c '^WARNING: ThreadSanitizer') races were reported" >&2
    exit 1
fi
exit "$status"
