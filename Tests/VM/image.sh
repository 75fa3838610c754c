#!/bin/sh
# Makes what a VM boots out of Debian's packages, none of which is installed.
#   image.sh 6.1|6.12 FOLDER    leaves the kernel and root.cpio in FOLDER
set -eu
version=$1
image=$2

# What runs in the VM; apt adds what these need.
programs="bash busybox-static dash hostapd iproute2 iw kmod ppp python3 wireguard-tools
  wpasupplicant"
# What the kernel loads there; modprobe adds what these need.
modules="mac80211_hwsim ccm cmac gcm ctr dummy_hcd libcomposite usb_f_ecm cdc_ether vhci_hcd
  qmi_wwan cdc_mbim ppp_async wireguard veth bridge bonding vrf macvlan dummy tun e1000"

fail() {
  echo "Tests/VM: $*" >&2
  exit 1
}

PATH=$PATH:/usr/sbin:/sbin
for program in apt-get cpio depmod xz zstd; do
  command -v "$program" >/dev/null || fail "no $program here; make vm-test installs it"
done

# apt takes a relative folder for one of its own.
work=$(realpath "$(mktemp -d "$image.XXXXXX")")
mkdir -p "$work/packages/partial" "$work/kernel" "$work/root"
trap 'rm -rf "$work"' EXIT

# apt as it is set up here, but as on a machine where nothing is installed yet.
apt() {
  apt-get -qq -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/packages" \
    -o Debug::NoLocking=true -o APT::Sandbox::User="$(id -un)" -o APT::Install-Recommends=false "$@"
}

unpack() { # PACKAGE FOLDER
  dpkg-deb --fsys-tarfile "$1" | tar -x --keep-directory-symlink -C "$2"
}

# The kernel without its own decompressor, which takes long when it is emulated; the header is
# that of Documentation/arch/x86/boot.rst. The payload ends with its length, 4 bytes.
bare_kernel() { # BZIMAGE
  number() { od -An -t "u$2" -j "$1" -N "$2" "$3" | tr -d ' '; }
  start=$((($(number 497 1 "$1") + 1) * 512 + $(number 584 4 "$1")))
  length=$(($(number 588 4 "$1") - 4))
  case $(od -An -t x4 -j "$start" -N 4 "$1") in
    *fd2fb528) decompress="zstd -dcq" ;;
    *) decompress="xz -dc --single-stream" ;;
  esac
  tail -c +$((start + 1)) "$1" | head -c "$length" | $decompress
}

[ "$(id -u)" != 0 ] || apt-get -qq update

# Debian 12's own kernel has no number in its name.
case $version in
  6.1) newest=linux-image-amd64 ;;
  *) newest=linux-image-$version-amd64 ;;
esac
package=$(apt-cache depends "$newest" | sed -n 's/.*Depends: \(linux-image-.*\)/\1/p' | head -n 1)
[ -n "$package" ] || fail "apt knows no $newest; try: sudo apt-get update"
release=${package#linux-image-}

echo "# gets Linux $release and the programs of the tests"
apt --download-only --yes install $programs >/dev/null
(cd "$work" && apt download "$package")
unpack "$work/$package"_*.deb "$work/kernel"
bare_kernel "$work/kernel/boot/vmlinuz-$release" >"$work/vmlinux"

root=$work/root
mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64"
ln -s usr/bin usr/sbin usr/lib usr/lib64 "$root"
for package in "$work"/packages/*.deb; do unpack "$package" "$root"; done
for name in $("$root/bin/busybox" --list); do
  [ -e "$root/bin/$name" ] || [ -e "$root/sbin/$name" ] || ln -s busybox "$root/bin/$name"
done
# Nothing reads these, and they would have to be unpacked at every boot.
rm -rf "$root"/usr/share "$root"/usr/lib/*/gconv "$root"/usr/lib/*/*perl* "$root"/bin/*perl*

depmod -b "$work/kernel" "$release"
mkdir -p "$root/lib/modules/$release"
cp "$work/kernel/lib/modules/$release"/modules.builtin* \
  "$work/kernel/lib/modules/$release/modules.order" "$root/lib/modules/$release"
modprobe -d "$work/kernel" -S "$release" -a --show-depends $modules |
  sed -n 's/^insmod \([^ ]*\).*/\1/p' | sort -u |
  xargs cp -t "$root/lib/modules/$release"
depmod -b "$root" "$release"
echo 'root:x:0:0:root:/:/bin/sh' >"$root/etc/passwd"

(cd "$root" && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0) >"$work/root.cpio"
rm -rf "$work/packages" "$work/kernel" "$root" "$work"/*.deb
mv -T "$work" "$image"
