# A USB modem on vhci_hcd whose driver knows no carrier: its state is unknown, and a connection is
# only told by the link that the modem's manager sets up or down.

# modem_plug_in PROTOCOL DRIVER [ADDRESS]: wwan0 and the far side of it, named modem.
modem_plug_in() {
  step 'modem plugged in'
  modprobe -a vhci_hcd $2 tun
  vmodem $1 modem &
  modem=$!
  soon is wwan0 type 1
  [ $# -lt 3 ] || ip link set wwan0 address "$3"
  far_end modem
  watch internet interface:wwan0
  expect internet 'unreachable no-route'
  expect interface:wwan0 'unreachable link-down'
}

modem_connect() {
  step 'connected'
  ip link set wwan0 up
  near_end wwan0
  expect internet 'reachable via wwan'
  expect interface:wwan0 'reachable via wwan'
  check 'its state is unknown' is wwan0 operstate unknown
  check_traffic 10.9.0.1
}

modem_tunnel() {
  lay_tunnel 'reachable via wwan'

  step 'disconnected below the tunnel'
  ip link set wwan0 down
  expect internet 'unreachable link-down'
  expect interface:wwan0 'unreachable link-down'

  step 'connected again below the tunnel'
  ip link set wwan0 up
  ip route add default via 10.9.0.1 dev wwan0
  expect internet 'reachable via wwan vpn'
  expect interface:wwan0 'reachable via wwan'
  check_traffic 10.6.0.1

  take_tunnel 'reachable via wwan'
}

modem_pull_out() {
  step 'modem pulled out'
  kill $modem
  expect internet 'unreachable interface-missing'
  expect interface:wwan0 'unreachable interface-missing'
}
