# A wired network card (e1000), whose cable is pulled and which is taken out at last.
. /test/lib.sh
. /test/far.sh
. /test/cable.sh

step 'no network'
modprobe e1000
far_end eth1
watch internet interface:eth0
expect internet 'unreachable no-route'
expect interface:eth0 'unreachable link-down'

step 'cable plugged in'
ip link set eth0 up
soon is eth0 operstate up
near_end eth0
expect internet 'reachable via wired'
expect interface:eth0 'reachable via wired'
check_traffic 10.9.0.1

lay_tunnel 'reachable via wired'

step 'cable pulled below the tunnel'
pull
expect internet 'unreachable no-carrier'
expect interface:eth0 'unreachable no-carrier'

step 'cable back below the tunnel'
plug
expect internet 'reachable via wired vpn'
expect interface:eth0 'reachable via wired'
check_traffic 10.6.0.1

take_tunnel 'reachable via wired'

step 'cable pulled'
pull
expect internet 'unreachable no-carrier'
expect interface:eth0 'unreachable no-carrier'

step 'cable back'
plug
expect internet 'reachable via wired'
expect interface:eth0 'reachable via wired'
check_traffic 10.9.0.1

step 'card taken out'
take_out
expect internet 'unreachable interface-missing'
expect interface:eth0 'unreachable interface-missing'
finish
