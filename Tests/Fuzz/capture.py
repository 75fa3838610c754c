#!/usr/bin/env python3
"""Records the seeds of the netlink fuzzers from this kernel: unshare --net Tests/Fuzz/capture.py

Those called real-… were recorded by hand from Linux 6.1 with WiFi and WireGuard, the key blanked.
"""
import os
import socket
import struct
import subprocess

SEEDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seeds")
GROUPS = [1, 5, 9, 7, 11, 8, 19, 32]  # links, addresses, routes, rules, next hops
GET_LINK, GET_ADDRESS, GET_ROUTE, GET_NEIGHBOUR = 18, 22, 26, 30
NEIGHBOURS = 3
REQUEST, DUMP, FIB_MATCH = 1, 0x300, 0x2000


def save(target, name, data):
    folder = os.path.join(SEEDS, target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def ip(words):
    subprocess.run(["ip"] + words.split(), check=True)


def listener(groups=GROUPS):
    heard = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
    heard.bind((0, 0))
    for group in groups:
        heard.setsockopt(270, 1, group)
    heard.setblocking(False)
    return heard


def drain(heard):
    datagrams = []
    while True:
        try:
            datagrams.append(heard.recv(65536))
        except BlockingIOError:
            return datagrams


def ask(kind, flags, body, protocol=socket.NETLINK_ROUTE):
    asker = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
    asker.bind((0, 0))
    asker.send(struct.pack("=IHHII", 16 + len(body), kind, REQUEST | flags, 1, 0) + body)
    return asker.recv(65536)


def route(address, flags=FIB_MATCH):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    to = socket.inet_pton(family, address)
    body = struct.pack("=BBBBBBBBI", family, 8 * len(to), 0, 0, 0, 0, 0, 0, flags)
    return ask(GET_ROUTE, 0, body + struct.pack("=HH", 4 + len(to), 1) + to)


# What the kernel sends unasked; of messages of one type and length the first is a seed.
COMMANDS = {
    "veth": "link add left type veth peer name right",
    "up": "link set left up",
    "peer-up": "link set right up",
    "bridge": "link add bridge0 type bridge",
    "port": "link set right master bridge0",
    "address": "address add 192.0.2.1/24 dev left",
    "address6": "address add 2001:db8::1/64 dev left nodad",
    "peer-address": "address add 198.51.100.1 peer 198.51.100.2 dev left",
    "route": "route add default via 192.0.2.2",
    "route6": "route add default via 2001:db8::2",
    "nexthop": "nexthop add id 1 via 192.0.2.3 dev left",
    "nexthop-other": "nexthop add id 2 via 192.0.2.4 dev left",
    "nexthop-group": "nexthop add id 3 group 1/2",
    "route-group": "route add 203.0.113.0/28 nhid 3",
    "multipath": "route add 203.0.113.16/28 nexthop via 192.0.2.5 nexthop via 192.0.2.6 weight 2",
    "multipath6": "route add 2001:db8:1::/64 nexthop via 2001:db8::5 nexthop via 2001:db8::6",
    "via": "route add 203.0.113.32/28 via inet6 2001:db8::7 dev left",
    "blackhole": "route add blackhole 203.0.113.48/28",
    "expires": "route add 2001:db8:2::/64 via 2001:db8::8 expires 600",
    "rule": "rule add from 192.0.2.9 table 100",
}
REMOVALS = {
    "unport": "link set right nomaster",
    "removal": "link delete left",
}
QUERIES = {
    "route": "192.0.2.77", "default": "203.0.113.200", "route6": "2001:db8:3::1",
    "group": "203.0.113.1", "multipath": "203.0.113.17", "multipath6": "2001:db8:1::1",
    "via": "203.0.113.33", "blackhole": "203.0.113.49", "expires": "2001:db8:2::1",
    "unreachable": "2001:db8:4::1", "local": "127.0.0.1",
}

heard = listener()


known = set()


def play(commands):
    for name, words in commands.items():
        ip(words)
        for number, datagram in enumerate(drain(heard)):
            shape = (datagram[4:6], len(datagram))
            if shape in known:
                continue
            known.add(shape)
            save("netlink-hints", f"{name}-{number}", datagram)


def attribute(kind, value):
    return struct.pack("=HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)


def bond():
    """What a bond's RTM_NEWLINK says, by linux/if_link.h: not every kernel has bonds."""
    option = attribute(2, struct.pack("=I", 2))
    body = struct.pack("=BxHiII", 0, 1, 9, 0x11443, 0) + attribute(3, b"bond0\0")
    body += attribute(18, attribute(1, b"bond\0") + attribute(2, option))
    return struct.pack("=IHHII", 16 + len(body), 16, 0, 0, 0) + body


def neighbours():
    """What is said of neighbours, unasked and asked."""
    heard = listener([NEIGHBOURS])
    ip("neigh replace 192.0.2.2 lladdr 02:00:5e:10:00:01 dev left nud reachable")
    ip("neigh del 192.0.2.2 dev left")
    for number, datagram in enumerate(drain(heard)):
        save("netlink-hints", f"neighbour-{number}", datagram)
    ip("neigh replace 192.0.2.2 lladdr 02:00:5e:10:00:01 dev left nud reachable")
    index = socket.if_nametoindex("left")
    place = struct.pack("=BxxxiHBB", socket.AF_INET, index, 0, 0, 0)
    place += attribute(1, socket.inet_aton("192.0.2.2"))
    save("netlink-replies", "neighbour", ask(GET_NEIGHBOUR, 0, place))


GENERIC, CONTROL, GET_FAMILY = 16, 16, 3


def message(kind, body):
    return struct.pack("=IHHII", 16 + len(body), kind, 0, 1, 0) + body


def command(number, *attributes):
    return struct.pack("=BBH", number, 1, 0) + b"".join(attributes)


def text(value):
    return value.encode() + b"\0"


def generic():
    """Families of generic netlink; WiFi and WireGuard by their headers: few kernels have both."""
    request = command(GET_FAMILY, attribute(2, text("ethtool")))
    save("generic-replies", "family", ask(CONTROL, 0, request, GENERIC))
    group = attribute(1, attribute(2, struct.pack("=I", 10)) + attribute(1, text("mlme")))
    family = attribute(2, text("nl80211")) + attribute(1, struct.pack("=H", 30))
    save("generic-replies", "nl80211", message(CONTROL, command(1, family, attribute(7, group))))
    for name, kind, ssid in [("station", 2, b"Home"), ("access-point", 3, b"Mine"),
                             ("hidden", 2, bytes(4)), ("emoji", 2, "\U0001f3e0".encode())]:
        interface = attribute(3, struct.pack("=i", 4)) + attribute(4, text("wlan0"))
        interface += attribute(5, struct.pack("=I", kind)) + attribute(52, ssid)
        save("generic-replies", name, message(30, command(7, interface)))
    save("generic-replies", "roam", message(30, command(47, attribute(3, struct.pack("=i", 4)))))
    endpoint = struct.pack("=H", socket.AF_INET) + struct.pack("!H", 51820)
    endpoint += socket.inet_aton("203.0.113.7") + bytes(8)
    other = struct.pack("=H", socket.AF_INET6) + struct.pack("!HI", 51820, 0)
    other += socket.inet_pton(socket.AF_INET6, "fe80::7") + struct.pack("=i", 2)
    peers = b"".join(
        attribute(0x8000, attribute(1, bytes(range(32))) + attribute(6, struct.pack("=qq", at, 0))
                  + attribute(4, where))
        for at, where in [(100, endpoint), (300, other)])
    device = attribute(1, struct.pack("=i", 9)) + attribute(7, struct.pack("=I", 51820))
    save("generic-replies", "wireguard", message(31, command(0, device, attribute(0x8008, peers))))


ip("link set lo up")
drain(heard)
play(COMMANDS)
neighbours()
generic()
ip("route add unreachable 2001:db8:4::/64")
drain(heard)
save("netlink-replies", "links", ask(GET_LINK, DUMP, bytes(16)))
save("netlink-replies", "addresses", ask(GET_ADDRESS, DUMP, bytes(8)))
for name, address in QUERIES.items():
    save("netlink-replies", f"entry-{name}", route(address))
    save("netlink-replies", f"packet-{name}", route(address, 0))
play(REMOVALS)
save("netlink-hints", "bond", bond())
