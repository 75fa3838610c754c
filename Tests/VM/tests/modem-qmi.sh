# A USB modem that speaks QMI (vhci_hcd, qmi_wwan): the driver's carrier is always on, and its state
# unknown; the connection is only told by the link that the modem's manager sets up or down.
. /test/lib.sh
. /test/far.sh

step 'modem plugged in'
modprobe -a vhci_hcd qmi_wwan tun
vmodem qmi modem &
modem=$!
soon is wwan0 type 1
# qmi_wwan takes a frame for a bare packet where the address looks like the start of one.
ip link set wwan0 address 02:00:00:00:00:07
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

# Such an interface has no hardware type of its own any more, as a tunnel has none.
step 'packets without a frame'
ip link set wwan0 down
expect internet 'unreachable link-down'
expect interface:wwan0 'unreachable link-down'
echo Y >/sys/class/net/wwan0/qmi/raw_ip
check 'its type is none' is wwan0 type 65534
ip link set wwan0 up
ip route add default dev wwan0
expect internet 'reachable via wwan'
expect interface:wwan0 'reachable via wwan'

step 'modem pulled out'
kill $modem
expect internet 'unreachable interface-missing'
expect interface:wwan0 'unreachable interface-missing'
finish
