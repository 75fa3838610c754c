#!/usr/bin/env bash
# Runs `swift test` with ARGUMENTS, one test after the other; what failed is named again at the end.
set -u -o pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
swift test --disable-xctest --no-parallel "$@" 2>&1 | tee "$log" && exit 0
printf '\nFailed:\n'
grep -E '✘|↳|Sanitizer:|error:' "$log" | cut -c 1-400 | tail -n 15
exit 1
