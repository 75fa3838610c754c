# What the kernel does that Reach is built around, measured on this one, and that Reach tells in time
# what the kernel holds back.
. /test/lib.sh

# The two ends of a pair have one index: such a pair is limited as hardware is.
modprobe -a veth bridge
ip netns add far
ip link add eth0 index 11 type veth peer name far0 index 11 netns far
ip link add eth1 index 12 type veth peer name far1 index 12 netns far
ip link add br0 index 13 type bridge
for link in eth0 eth1 br0; do ip link set $link up; done
for link in far0 far1; do ip -n far link set $link up; done
ip address add 192.0.2.2/24 dev eth0
ip address add 2001:db8:1::2/64 dev eth0
facts routes
ip link set eth0 master br0
facts carriers

# Whether the last that was told of both came within some seconds of the start.
told_within() {
  for target in $targets; do
    at=$(grep "\"target\":\"$target\"" /run/told | sed -n '$s/.*"at":\([0-9]*\).*/\1/p')
    [ $((at - start)) -le "$1" ] || return 1
  done
}

step 'cables in'
for link in far0 far1; do ip -n far link set $link up; done
soon is br0 operstate up
ip address add 192.0.3.2/24 dev eth1
ip address add 192.0.4.2/24 dev br0
watch interface:eth1 interface:br0
expect interface:eth1 'reachable via wired'
expect interface:br0 'reachable via wired'

# The kernel tells of one change a second; a bridge's comes after that of its port.
step 'both cables pulled'
start=$(date +%s)
for link in far1 far0; do ip -n far link set $link down; done
expect interface:eth1 'unreachable no-carrier'
expect interface:br0 'unreachable no-carrier'
check 'all of that within 4 seconds' told_within 4

step 'both cables back'
start=$(date +%s)
for link in far1 far0; do ip -n far link set $link up; done
expect interface:eth1 'reachable via wired'
expect interface:br0 'reachable via wired'
check 'all of that within 4 seconds' told_within 4
finish
