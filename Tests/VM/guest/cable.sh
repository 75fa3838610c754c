# The cable of the wired card eth0, which the emulator pulls; its monitor listens on ttyS2.

stty -F /dev/ttyS2 raw -echo
# Ends what the kernel may have echoed of the monitor's greeting until then.
echo >/dev/ttyS2

pull() {
  echo 'set_link near-card off' >/dev/ttyS2
  soon is eth0 carrier 0
}

plug() {
  echo 'set_link near-card on' >/dev/ttyS2
  soon is eth0 carrier 1
}

# Takes the card out of its slot.
take_out() {
  echo 'device_del near-card' >/dev/ttyS2
  soon test ! -e /sys/class/net/eth0
}
