# PPP over a terminal. Nothing tells what carries it, so its medium is what the user says.
. /test/lib.sh
. /test/far.sh

has_address() {
  ip address show dev "$1" up 2>/dev/null | grep -q "$2"
}

dial() {
  pppd nodetach noauth local nodefaultroute noccp novj 10.9.0.2:10.9.0.1 \
    pty 'ip netns exec far pppd nodetach notty noauth local noccp novj 10.9.0.1:10.9.0.2' \
    >/run/pppd.log 2>&1 &
  dialler=$!
  soon has_address ppp0 10.9.0.2
}

step 'not dialled'
modprobe ppp_async
[ -e /dev/ppp ] || mknod /dev/ppp c 108 0
watch internet interface:ppp0
expect internet 'unreachable no-route'
expect interface:ppp0 'unreachable interface-missing'

step 'dialled'
dial
ip route add default dev ppp0
expect internet 'reachable via other'
expect interface:ppp0 'reachable via other'
check 'its state is unknown' is ppp0 operstate unknown
check_traffic 10.9.0.1

lay_tunnel 'reachable via other'

# The interface is switched off a moment before it is gone.
step 'hung up below the tunnel'
kill $dialler
expect internet 'unreachable *'
expect interface:ppp0 'unreachable *'

step 'dialled again below the tunnel'
dial
ip route add default dev ppp0
expect internet 'reachable via other vpn'
expect interface:ppp0 'reachable via other'
check_traffic 10.6.0.1

take_tunnel 'reachable via other'
finish

step 'said to be mobile'
options='--medium ppp0=wwan'
watch internet interface:ppp0
expect internet 'reachable via wwan'
expect interface:ppp0 'reachable via wwan'

step 'tunnel over what is said to be mobile'
tunnel_up
expect internet 'reachable via wwan vpn'
check_traffic 10.6.0.1

step 'hung up by the other end'
kill -9 "$(ip netns pids far | head -n 1)"
expect internet 'unreachable *'
expect interface:ppp0 'unreachable *'
finish
