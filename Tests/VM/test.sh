#!/bin/sh
# Runs tests on real kernels, each test in a VM of its own, and reports as TAP.
#   test.sh KERNELS REACH CACHE [TEST…]    as make vm-test does
set -eu
kernels=$1
reach=$2
cache=$3
shift 3
here=$(dirname "$0")
tests=$(cd "$here/tests" && ls | sed 's/\.sh$//')
[ $# -gt 0 ] || set -- $tests

for test; do
  [ -f "$here/tests/$test.sh" ] || {
    echo "no test $test; tests: $(echo $tests)" >&2
    exit 2
  }
done
report=$(mktemp)
trap 'rm -f "$report"' EXIT
trap 'exit 130' INT TERM

count() { grep -c "^$1 " "$report" || true; }

# Numbers what one VM reports, and names kernel and test. Its last line tells how the test ended.
number() {
  number=$(($(count ok) + $(count 'not ok')))
  how='did not end'
  while IFS= read -r line; do
    case $line in
      'ok - '* | 'not ok - '*)
        number=$((number + 1))
        echo "${line%% - *} $number - $version $test: ${line#* - }"
        ;;
      'exit '[0-9]*) how="ended with status ${line#exit }" ;;
      *) echo "# ${line#\# }" ;;
    esac
  done
  [ "$how" = 'ended with status 0' ] ||
    echo "not ok $((number + 1)) - $version $test: the test $how"
}

for version in $kernels; do
  image=$cache/$version-$(sha256sum "$here/image.sh" | cut -c 1-12)
  [ -d "$image" ] || "$here/image.sh" "$version" "$image"
  for test; do
    limit=600
    [ "$test" != conformance ] || limit=3600
    "$here/boot.sh" "$image" "$limit" "$here/tests/$test.sh" "$here"/guest/* \
      "$here/../Conformance" "$reach" "$cache/vmodem" "$cache/facts" | number | tee -a "$report"
  done
done
passed=$(count ok)
failed=$(count 'not ok')
echo "1..$((passed + failed))"
echo "$passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" = 0 ]
