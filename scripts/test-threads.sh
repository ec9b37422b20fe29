#!/usr/bin/env bash
# Runs the test suite under the thread sanitizer. Arguments go to `swift test`.
set -euo pipefail
cd "$(dirname "$0")/.."

swift build --build-tests --sanitize thread --scratch-path .build/tsan
# A race ends the process with this status, even where every expectation held.
export TSAN_OPTIONS="halt_on_error=1 exitcode=66 ${TSAN_OPTIONS:-}"
test=(swift test --skip-build --disable-xctest --sanitize thread --scratch-path .build/tsan "$@")
# The sanitizer wants its shadow memory at fixed addresses, which some kernels' address randomisation takes.
if command -v setarch >/dev/null && setarch --addr-no-randomize true 2>/dev/null; then
    exec setarch --addr-no-randomize "${test[@]}"
fi
exec "${test[@]}"
