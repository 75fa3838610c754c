# A USB modem that speaks ECM (cdc_ether on dummy_hcd).
. /test/lib.sh
. /test/far.sh
. /test/modem.sh

step 'modem plugged in'
modem_plug_in
watch internet interface:wwan0
expect internet 'unreachable no-route'
expect interface:wwan0 'unreachable link-down'

step 'connected'
ip link set wwan0 up
far_end usb0
soon is wwan0 operstate up
near_end wwan0
expect internet 'reachable via wwan'
expect interface:wwan0 'reachable via wwan'
check_traffic 10.9.0.1

lay_tunnel 'reachable via wwan'

step 'connection lost below the tunnel'
ip -n far link set usb0 down
expect internet 'unreachable no-carrier'
expect interface:wwan0 'unreachable no-carrier'

step 'connection back below the tunnel'
ip -n far link set usb0 up
expect internet 'reachable via wwan vpn'
expect interface:wwan0 'reachable via wwan'
check_traffic 10.6.0.1

take_tunnel 'reachable via wwan'

step 'modem pulled out'
modem_pull_out
expect internet 'unreachable interface-missing'
expect interface:wwan0 'unreachable interface-missing'
finish
