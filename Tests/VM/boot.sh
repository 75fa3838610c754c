#!/bin/sh
# Runs one test as root in a VM of its own, without KVM, and prints what the test reports.
#   boot.sh IMAGE SECONDS TEST FILE…    the files lie in /test there
# Exit status: the test's, or 124 where its time was up, or 125 where the VM ended without it.
set -eu
image=$1
seconds=$2
test=$3
shift 3

work=$(mktemp -d)
machine=
reader=
finish() {
  for process in $machine $reader; do kill "$process" 2>/dev/null || true; done
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

# The test, and the libraries of its programs where the programs look for them.
root=$work/root
mkdir -p "$root/test"
cp "$test" "$root/test/run.sh"
for file; do
  cp -RL "$file" "$root/test"
  for library in $(ldd "$file" 2>/dev/null | grep -o '/[^ ]*'); do
    folder=$root$(realpath "$(dirname "$library")")
    mkdir -p "$folder"
    cp -L "$library" "$folder"
  done
done
mv "$root/test/init" "$root/init"
(cd "$root" && find . | cpio --quiet -o -H newc -R 0:0) >"$work/test.cpio"
cat "$image/root.cpio" "$work/test.cpio" >"$work/initrd"

# Two network cards on one hub: pulling the one's cable leaves the other's. The VM's serial ports
# are its console, its report, and the monitor of qemu, which pulls the cable.
: >"$work/report"
timeout -k 5 "$seconds" qemu-system-x86_64 -M pc -cpu max -smp 2 -m 1024 -accel tcg,thread=multi \
  -nodefaults -no-user-config -display none -no-reboot \
  -kernel "$image/vmlinux" -initrd "$work/initrd" -append "console=ttyS0 panic=-1 loglevel=4" \
  -chardev socket,id=monitor,path="$work/monitor",server=on,wait=off \
  -mon chardev=monitor,mode=readline -chardev socket,id=guest,path="$work/monitor" \
  -serial "file:$work/console" -serial "file:$work/report" -serial chardev:guest \
  -netdev hubport,id=near,hubid=0 -device e1000,netdev=near,id=near-card \
  -netdev hubport,id=far,hubid=0 -device e1000,netdev=far,id=far-card \
  </dev/null >"$work/qemu" 2>&1 &
machine=$!
tail -n +1 -s 0.2 -f --pid="$machine" "$work/report" &
reader=$!
status=0
wait "$machine" || status=$?
wait "$reader" || true
machine=
reader=

ended=$(sed -n 's/^exit \([0-9]*\)$/\1/p' "$work/report" | tail -n 1)
[ -z "$ended" ] || exit "$ended"
tail -n 20 "$work/qemu" "$work/console" | tr -d '\r' | sed 's/^/# /'
# timeout's own status, and that of a machine that it had to kill.
[ "$status" != 124 ] && [ "$status" != 137 ] || {
  echo "# not done after $seconds seconds"
  exit 124
}
exit 125
