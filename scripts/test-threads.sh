#!/usr/bin/env bash
# Runs the test suite under the thread sanitizer. Arguments go to `swift test`. All races are printed at the end, and
# are
# failures even if every test passed.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=.build/tsan
reports=$PWD/$scratch/reports
rm -rf "$reports" "$scratch"/check-*
mkdir -p "$reports"
clang -O2 -Wall -Werror -shared -fPIC scripts/tsan/mutex.c -o "$scratch/mutex.so"

# The sanitizer needs fixed addresses for its shadow memory, which some kernels' address randomisation occupies.
fixed=()
if command -v setarch >/dev/null && setarch --addr-no-randomize true 2>/dev/null; then
    fixed=(setarch --addr-no-randomize)
fi
# A race does not end the run, so that all are found, including those in processes that tests start.
sanitized() {
    local log=$1
    shift
    "${fixed[@]}" env SWIFT_BACKTRACE=enable=no LD_PRELOAD="$PWD/$scratch/mutex.so" \
        TSAN_OPTIONS="halt_on_error=0 exitcode=0 log_path=$log ${TSAN_OPTIONS:-}" "$@"
}

echo "== the sanitizer detects a race, and recognises a mutex"
swiftc -parse-as-library -sanitize=thread scripts/tsan/check.swift -o "$scratch/check"
for kind in guarded racy; do sanitized "$scratch/check-$kind" "$scratch/check" "$kind"; done
compgen -G "$scratch/check-racy.*" >/dev/null || { echo "error: a race was not reported" >&2; exit 1; }
if compgen -G "$scratch/check-guarded.*" >/dev/null; then
    cat "$scratch"/check-guarded.*
    echo "error: a variable guarded by a mutex was reported as a race: scripts/tsan/mutex.c does not match this toolchain" >&2
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
