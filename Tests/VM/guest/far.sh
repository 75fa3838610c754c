# The other end of what a test brings up: a network namespace with the address 10.9.0.1, which also
# is the peer of a WireGuard tunnel.

ip netns add far
ip -n far link set lo up

# Gives the other end its interface.
far_end() {
  ip link show "$1" >/dev/null 2>&1 && ip link set "$1" netns far
  ip -n far address add 10.9.0.1/24 dev "$1"
  ip -n far link set "$1" up
}

# Gives this end its address and its way to everywhere.
near_end() {
  ip address add 10.9.0.2/24 dev "$1"
  ip route add default via 10.9.0.1 dev "$1"
}

# Lays a tunnel for everything to the other end, in the steps of wg-quick.
endpoint=10.9.0.1
tunnel_up() {
  umask 077
  for end in near far; do
    wg genkey >/run/$end.key
    wg pubkey </run/$end.key >/run/$end.pub
  done
  ip -n far link add wg0 type wireguard
  ip netns exec far wg set wg0 private-key /run/far.key listen-port 51820 \
    peer "$(cat /run/near.pub)" allowed-ips 10.6.0.2/32
  ip -n far address add 10.6.0.1/24 dev wg0
  ip -n far link set wg0 up

  ip link add wg0 type wireguard
  wg set wg0 private-key /run/near.key fwmark 51820 \
    peer "$(cat /run/far.pub)" allowed-ips 0.0.0.0/0 endpoint $endpoint:51820
  ip address add 10.6.0.2/24 dev wg0
  ip link set wg0 up
  ip route add default dev wg0 table 51820
  ip rule add not fwmark 51820 table 51820
  ip rule add table main suppress_prefixlength 0
}

tunnel_down() {
  ip rule delete table 51820
  ip rule delete table main suppress_prefixlength 0
  ip link delete wg0
  ip -n far link delete wg0
}

# Steps that lay a tunnel over what `internet` is, and take it away again: lay_tunnel STATE
lay_tunnel() {
  step 'tunnel'
  tunnel_up
  expect internet "$1 vpn"
  check_traffic 10.6.0.1
}

take_tunnel() {
  step 'tunnel gone'
  tunnel_down
  expect internet "$1"
  check_traffic 10.9.0.1
}
