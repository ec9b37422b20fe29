#!/usr/bin/env bash
# Runs the test suite under the thread sanitizer: `--filter PATTERN` runs a part. Otherwise the argument is the pattern
# of the tests that run programs; they follow the others, and their programs are built with the sanitizer too.
# Every reported race is printed at the end, and is a failure even if every expectation held.
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
# A race does not end the run: one run finds all of them, also those of the processes that tests start.
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

echo "== build under the sanitizer"
swift build --build-tests --sanitize thread --scratch-path "$scratch"

# The sanitizer makes tests about ten times slower: mutated inputs are fewer, and fewer tests run beside each other.
# `TSAN_OPTIONS` also lengthens the time limits of tests that wait for programs (Tests/TestSupport/Patience.swift).
export FUZZ_ITERATIONS=${FUZZ_ITERATIONS:-1000}
status=0
run() {
    local name=$1 width=$2
    shift 2
    echo "== $name"
    SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$width sanitized "$reports/race" \
        swift test --skip-build --disable-xctest --sanitize thread --scratch-path "$scratch" "$@" || status=$?
}
if [ "${1-}" = --filter ]; then
    run "tests of $2" 4 "$@"
else
    programs=${1:?the pattern of the tests that run programs}
    run "tests in process" 4 --skip "$programs"
    run "tests of the programs" 1 --filter "$programs"
fi
if compgen -G "$reports/race.*" >/dev/null; then
    cat "$reports"/race.*
    echo "error: $(cat "$reports"/race.* | grep -c '^WARNING: ThreadSanitizer') races were reported" >&2
    exit 1
fi
exit "$status"
