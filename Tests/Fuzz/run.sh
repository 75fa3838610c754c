#!/usr/bin/env bash
# Runs each fuzzer for so many seconds: run.sh SECONDS [TARGET…]; fails where one finds something.
set -eu
cd "$(dirname "$0")"
usage="usage: run.sh SECONDS [TARGET…]; targets: $(ls Targets | xargs)"
[[ "${1-}" =~ ^[1-9][0-9]*$ ]] || { echo "$usage" >&2; exit 2; }
time=$1
shift
[ $# -gt 0 ] || set -- $(ls Targets)
for target; do
  [ -d "Targets/$target" ] || { echo "no target $target; $usage" >&2; exit 2; }
done

mkdir -p corpus
swift build >corpus/build.log 2>&1 || { cat corpus/build.log >&2; exit 2; }
programs=$(swift build --show-bin-path)
export SWIFT_BACKTRACE=enable=no

# Keeps an input that failed, unless the findings hold it under another name.
keep() {
  local finding
  for finding in "findings/$2"/*; do
    if cmp -s "$1" "$finding"; then
      echo "Tests/Fuzz/$finding"
      return
    fi
  done
  mkdir -p "findings/$2"
  cp "$1" "findings/$2/"
  echo "Tests/Fuzz/findings/$2/$(basename "$1")"
}

status=0
for target; do
  inputs=(corpus/"$target")
  for folder in seeds findings; do
    [ ! -d "$folder/$target" ] || inputs+=("$folder/$target")
  done
  failures=corpus/failures/$target
  log=corpus/$target.log
  rm -rf "$failures"
  mkdir -p "corpus/$target" "$failures"
  if "$programs/$target" -max_total_time="$time" -timeout=5 -rss_limit_mb=2048 \
    -print_final_stats=0 -verbosity=1 -artifact_prefix="$failures/" "${inputs[@]}" >"$log" 2>&1
  then
    echo "ok $target $(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$log") runs"
    continue
  fi
  status=1
  saved=none
  for input in "$failures"/{crash,leak,oom,timeout}-*; do
    [ ! -f "$input" ] || saved=$(keep "$input" "$target")
  done
  why=$(grep -m 1 -e 'Fatal error' -e '^SUMMARY' -e 'ERROR:' "$log" | cut -c 1-300)
  echo "FAIL $target: ${why:-see Tests/Fuzz/$log}; input saved to $saved"
done
exit $status
