# A bond of a wired card and WiFi, of which one sends at a time: the medium is the active one's.
. /test/lib.sh
. /test/far.sh
. /test/cable.sh
. /test/wifi.sh

step 'no network'
modprobe e1000
modprobe bonding max_bonds=0
access_point_on
# The other end of both is a bridge.
ip link set eth1 netns far
ip -n far link add both type bridge
ip -n far link set eth1 master both up
ip -n far link set wlan1 master both
far_end both
ip link add bond0 type bond mode active-backup miimon 100 fail_over_mac active primary eth0
ip link set eth0 master bond0
ip link set wlan0 master bond0
watch internet interface:bond0
expect internet 'unreachable no-route'
expect interface:bond0 'unreachable link-down'

step 'cable plugged in'
ip link set bond0 up
soon is bond0 operstate up
near_end bond0
expect internet 'reachable via wired'
expect interface:bond0 'reachable via wired'
check_traffic 10.9.0.1

step 'WiFi associated too'
station_on
soon is wlan0 operstate up
check 'the cable sends' is bond0 bonding/active_slave eth0

lay_tunnel 'reachable via wired'

step 'cable pulled below the tunnel'
pull
expect internet 'reachable via wifi on Home vpn'
expect interface:bond0 'reachable via wifi on Home'
check_traffic 10.6.0.1

step 'access point lost below the tunnel'
access_point_off
expect internet 'unreachable no-carrier'
expect interface:bond0 'unreachable no-carrier'

step 'cable back below the tunnel'
plug
expect internet 'reachable via wired vpn'
expect interface:bond0 'reachable via wired'
check_traffic 10.6.0.1

step 'tunnel gone'
tunnel_down
expect internet 'reachable via wired'
finish
