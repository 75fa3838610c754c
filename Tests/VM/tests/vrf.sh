# A wired card in a VRF, which has a table of routes of its own; the main one may lead there.
. /test/lib.sh
. /test/far.sh
. /test/cable.sh

step 'outside a VRF'
modprobe -a e1000 vrf
far_end eth1
ip link set eth0 up
soon is eth0 operstate up
near_end eth0
watch internet interface:eth0
expect internet 'reachable via wired'
expect interface:eth0 'reachable via wired'
check_traffic 10.9.0.1

# The kernel switches the card off and on, and forgets its routes of the main table.
step 'in a VRF'
ip link add blue type vrf table 10
ip link set blue up
ip link set eth0 master blue
expect internet 'unreachable no-carrier'
expect interface:eth0 'unreachable no-carrier' 'reachable via wired'
check 'packets of the VRF get to 10.9.0.1' ping -I blue -c 1 10.9.0.1

step 'main table leads into the VRF'
ip route add default via 10.9.0.1 vrf blue
ip route add default dev blue
expect internet 'reachable via wired'
check_traffic 10.9.0.1

step 'cable pulled'
pull
expect internet 'unreachable no-carrier'
expect interface:eth0 'unreachable no-carrier'

step 'cable back'
plug
expect internet 'reachable via wired'
expect interface:eth0 'reachable via wired'
check_traffic 10.9.0.1

step 'out of the VRF'
ip link set eth0 nomaster
expect internet 'unreachable no-carrier'
expect interface:eth0 'unreachable no-carrier' 'reachable via wired'
finish
