#!/usr/bin/env python3
"""Records the seeds of the netlink fuzzers from this kernel: unshare --net Tests/Fuzz/capture.py"""
import os
import socket
import struct
import subprocess

SEEDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seeds")
GROUPS = [1, 5, 9, 7, 11, 8, 19, 32]  # links, addresses, routes, rules, next hops
GET_LINK, GET_ADDRESS, GET_ROUTE = 18, 22, 26
REQUEST, DUMP, FIB_MATCH = 1, 0x300, 0x2000


def save(target, name, data):
    folder = os.path.join(SEEDS, target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def ip(words):
    subprocess.run(["ip"] + words.split(), check=True)


def listener():
    heard = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
    heard.bind((0, 0))
    for group in GROUPS:
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


def ask(kind, flags, body):
    asker = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
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


ip("link set lo up")
drain(heard)
play(COMMANDS)
ip("route add unreachable 2001:db8:4::/64")
drain(heard)
save("netlink-replies", "links", ask(GET_LINK, DUMP, bytes(16)))
save("netlink-replies", "addresses", ask(GET_ADDRESS, DUMP, bytes(8)))
for name, address in QUERIES.items():
    save("netlink-replies", f"entry-{name}", route(address))
    save("netlink-replies", f"packet-{name}", route(address, 0))
play(REMOVALS)
save("netlink-hints", "bond", bond())
