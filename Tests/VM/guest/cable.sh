# The cables of the VM's network cards, which the emulator pulls; its monitor listens on ttyS2.

stty -F /dev/ttyS2 raw -echo

pull() {
  echo "set_link $1 off" >/dev/ttyS2
}

plug() {
  echo "set_link $1 on" >/dev/ttyS2
}

# Takes a card out of its slot.
take_out() {
  echo "device_del $1" >/dev/ttyS2
}
