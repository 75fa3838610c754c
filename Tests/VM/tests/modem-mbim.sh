# A USB modem that speaks MBIM (vhci_hcd, cdc_mbim): no frames, and a state that is unknown.
. /test/lib.sh
. /test/far.sh

step 'modem plugged in'
modprobe -a vhci_hcd cdc_mbim tun
vmodem mbim modem &
modem=$!
soon is wwan0 type 1
far_end modem
watch internet interface:wwan0
expect internet 'unreachable no-route'
expect interface:wwan0 'unreachable link-down'

step 'connected'
ip link set wwan0 up
near_end wwan0
expect internet 'reachable via wwan'
expect interface:wwan0 'reachable via wwan'
check 'its state is unknown' is wwan0 operstate unknown
check_traffic 10.9.0.1

step 'tunnel'
tunnel_up
expect internet 'reachable via wwan vpn'
check_traffic 10.6.0.1

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

step 'tunnel gone'
tunnel_down
expect internet 'reachable via wwan'
check_traffic 10.9.0.1

step 'modem pulled out'
kill $modem
expect internet 'unreachable interface-missing'
expect interface:wwan0 'unreachable interface-missing'
finish
