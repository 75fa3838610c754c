#!/usr/bin/env python3
"""Compares reach with a C program that does the same, paired in one run; needs root.

Latency is what passes from right before the request that changes the kernel to the first
instruction of the handler; ratio and difference are medians over pairs, not quotients of medians.
Without --reach the C program is compared with itself: that far from 1 are ratios of equals.
The exit code is 1 where something could not be measured, and never depends on a result.
"""
import argparse
import bisect
import contextlib
import os
import re
import shutil
import signal
import statistics
import sys
import tempfile
import time

sys.dont_write_bytecode = True

from lab import GATEWAY, Failure, Network, Watcher, command
from table import Row

HERE = os.path.dirname(os.path.abspath(__file__))
STATUS = {"down": "unreachable", "up": "reachable"}
ROUTE_MS = 80
CARRIER_MS = 1400
DISPATCHES = 20_000
WAITS = 5000
SCRIPTS = 1000
SILENT = 1000
SILENT_TIMEOUT = 2
PAIRS = 15


def build(work):
    """Compiles the C programs; returns their paths."""
    lua = command("pkg-config", "--cflags", "--libs", "lua5.4").split()
    host, change = f"{work}/host", f"{work}/change"
    sources = [f"{HERE}/{name}.c" for name in ("host", "kernel", "script", "event")]
    flags = ["-O2", "-Wall", "-Wextra", "-Werror"]
    command("cc", *flags, "-o", host, *sources, *lua, "-pthread")
    command("cc", *flags, "-o", change, f"{HERE}/change.c")
    command("cc", *flags, "-o", f"{work}/wait", f"{HERE}/wait.c", *lua, "-pthread")
    return host, change


class Bench:
    def __init__(self, arguments, work):
        self.arguments = arguments
        self.work = work
        self.host, self.change = build(work)
        self.other = os.path.abspath(arguments.reach) if arguments.reach else self.host
        self.label = "reach" if arguments.reach else "C again"
        self.started = 0
        # reach refuses scripts in folders that others may write to.
        self.script = shutil.copy(f"{HERE}/latency.lua", f"{work}/latency.lua")
        os.chmod(self.script, 0o644)

    def watch(self, stack, network, program, script=None, stamps=1):
        """Starts a program, which the stack ends, and waits for its first stamps."""
        self.started += 1
        folder = f"{self.work}/{self.started}"
        os.mkdir(folder, 0o700)
        options = ["--settle", "0", "--state-dir", folder, "--socket", f"{folder}/control"]
        words = [program, "run", *options, script or self.script]
        watcher = stack.enter_context(Watcher(network, words, f"{folder}/log"))
        watcher.await_stamps(stamps)
        return watcher

    def latency(self, kind, count, together):
        """Changes the kernel and waits for the stamps.

        Together, both programs hear the same change; on two processors one then waits for the
        other, and chance decides which. In turn, each has a network of its own, and every change
        is made in one and then in the other: both meet the same machine, but not each other.
        """
        with contextlib.ExitStack() as stack:
            networks = [stack.enter_context(Network()) for _ in range(1 if together else 2)]
            watchers = [self.watch(stack, networks[0], self.host),
                        self.watch(stack, networks[-1], self.other)]
            printed = command(self.change, *change_words(kind, networks, count))
            stamps = [watcher.stamps() for watcher in watchers]
        changes = [(step, float(at)) for step, at in map(str.split, printed.splitlines())]
        heard = [changes[::len(networks)], changes[len(networks) - 1::len(networks)]]
        rows = {step: Row(f"{kind}-{step}") for step in STATUS}
        for (step, _), *pair in zip(heard[0], *map(latencies, stamps, heard)):
            rows[step].add(*pair)

        print(f"\n{kind} changes, {'heard by both at once' if together else 'in turn'}, µs")
        print(Row.header(self.label))
        for row in rows.values():
            if not row.pairs:
                raise Failure(f"{row.name}: no pair of stamps; missing {row.missing}")
            print(row, flush=True)

    def dispatch(self):
        """Runs both in turn, so that what else the machine does meets both."""
        other = self.arguments.dispatch
        programs = [self.host, os.path.abspath(other) if other else self.host]
        runs = [[rounds(program) for program in programs] for _ in range(PAIRS)]
        print(f"\none dispatch, ns (medians of {PAIRS} runs in turn, of 5 rounds each)")
        print(f"{'':14}{'C':>10}{'Swift' if other else 'C again':>10}{'ratio':>8}")
        print_rounds(runs)

    def wait(self):
        """Has a handler of reach itself wait often, and a coroutine of C, in turn."""
        script = shutil.copy(f"{HERE}/wait.lua", f"{self.work}/wait.lua")
        os.chmod(script, 0o644)
        runs = []
        for _ in range(5):
            runs.append((times(command(f"{self.work}/wait", str(WAITS)), "wait"),
                         self.waits(script)))
        print("\none call that waits, and goes on at once, ns (medians of 5 runs in turn, of 5 "
              "rounds each)")
        print(f"{'':14}{'C':>10}{self.label:>10}{'ratio':>8}")
        print_rounds(runs)

    def waits(self, script):
        """What the script prints in a network of its own."""
        with contextlib.ExitStack() as stack:
            network = stack.enter_context(Network())
            watcher = self.watch(stack, network, self.other, script, stamps=0)
            return times(watcher.await_text("wait best "), "wait")

    def scripts(self):
        """Runs many scripts with one hook each on the same route changes."""
        folder = f"{self.work}/scripts"
        os.mkdir(folder, 0o755)
        for number in range(SCRIPTS):
            os.chmod(shutil.copy(self.script, f"{folder}/{number}.lua"), 0o644)
        with contextlib.ExitStack() as stack:
            network = stack.enter_context(Network())
            watcher = self.watch(stack, network, self.other, folder, stamps=SCRIPTS)
            words = [network.host, "route", "10", "500", GATEWAY]
            printed = command(self.change, *words)
            time.sleep(1)
            stamps = watcher.stamps()[SCRIPTS:]
            memory = watcher.memory()
        changes = [(step, float(at)) for step, at in map(str.split, printed.splitlines())]
        took = []
        for number, (step, start) in enumerate(changes):
            heard = [at for status, at in stamps[number * SCRIPTS:][:SCRIPTS]
                     if status == STATUS[step]]
            if len(heard) != SCRIPTS:
                raise Failure(f"{len(heard)} of {SCRIPTS} scripts heard change {number + 1}")
            took.append((max(heard) - start) * 1e3)
        print(f"\n{SCRIPTS} scripts with a hook each: ms from a route change to the last handler")
        print(f"{self.label:8} median {statistics.median(took):.1f}, worst {max(took):.1f} of "
              f"{len(took)} changes; VmRSS {memory} KiB", flush=True)

    def scale(self):
        """Judges many addresses after a link change; medians of five changes each way."""
        print("\nmany addresses after a link change; ms until the last is told, ms of processor time")
        print(f"{'addresses':>9}{'down':>8}{'cpu':>8}{'up':>8}{'cpu':>8}{'bytes each':>12}")
        for count in (100, 1000, 10_000):
            with Network() as network:
                network.ip(network.host, "addr add 2001:db8:0:1::2/64 dev eth0 nodad")
                network.ip(network.host, "-6 route add default via 2001:db8:0:1::1")
                printed = command("ip", "netns", "exec", network.host,
                                  os.path.abspath(self.arguments.scale), str(count), "eth0", GATEWAY)
            found = {}
            for name, *numbers in map(str.split, printed.splitlines()):
                found.setdefault(name, []).append([float(number) for number in numbers])
            columns = [statistics.median(column)
                       for name in STATUS for column in zip(*found[name])]
            print(f"{count:9}" + "".join(f"{column:8.1f}" for column in columns)
                  + f"{found['memory'][0][0]:12.0f}", flush=True)

    def idle(self):
        seconds = self.arguments.idle
        print(f"\nat rest for {seconds:g} s in a quiet network")
        for label, program in (("C", self.host), (self.label, self.other)):
            with contextlib.ExitStack() as stack:
                network = stack.enter_context(Network())
                watcher = self.watch(stack, network, program)
                time.sleep(4)  # the last look after a start comes after 2.6 s
                memory, before = watcher.memory(), watcher.wakeups()
                time.sleep(seconds)
                after = watcher.wakeups()
            woken = sum(count - before.get(thread, 0) for thread, count in after.items())
            print(f"{label:8} VmRSS {memory} KiB, {len(after)} threads, {woken} wake-ups",
                  flush=True)

    def silent(self):
        """Probes hosts that do not answer, all at once, with the command itself."""
        count = SILENT
        print(f"\n{count} silent TCP probes that may take {SILENT_TIMEOUT} s each")
        with contextlib.ExitStack() as stack:
            network = stack.enter_context(Network())
            before = os.times()
            start = time.monotonic()
            printed = command(
                "ip", "netns", "exec", network.host, self.other, "watch", "--for", "20s",
                "--count", str(count), "--every", "1h", "--timeout", f"{SILENT_TIMEOUT}s",
                *silent_targets(count))
            wall = time.monotonic() - start
            after = os.times()
        silent = printed.count("unreachable (timeout)")
        if silent != count:
            raise Failure(f"{silent} of {count} timed out: {printed[-200:]}")
        processor = sum(after[2:4]) - sum(before[2:4])
        print(f"{self.label:8} {wall:.2f} s, {processor:.2f} s of processor time", flush=True)


def silent_targets(count):
    """HOST:PORT for each of many hosts behind a router that forwards nothing and says nothing."""
    return [f"198.18.{number // 250}.{number % 250 + 1}:9" for number in range(count)]


def change_words(kind, networks, count):
    """The arguments of `change` for a series."""
    if kind == "route":
        names, interval, thing = [it.host for it in networks], ROUTE_MS, GATEWAY
    else:
        names, interval, thing = [it.router for it in networks], CARRIER_MS, networks[0].port
    return [",".join(names), kind, str(count), str(interval), thing]


def latencies(stamps, changes):
    """How long after each change the first stamp of its status is.

    None where there is none before the next change.
    """
    times = {status: [] for status in STATUS.values()}
    for status, at in stamps:
        times.setdefault(status, []).append(at)
    ends = [at for _, at in changes[1:]] + [float("inf")]
    for (step, start), end in zip(changes, ends):
        mine = times[STATUS[step]]
        place = bisect.bisect_left(mine, start)
        yield mine[place] - start if place < len(mine) and mine[place] < end else None


def rounds(program):
    """The best and the median round in nanoseconds, as `PROGRAM dispatch N` prints them."""
    return times(command(program, "dispatch", str(DISPATCHES)), "dispatch")


def times(printed, name):
    """The nanoseconds in `NAME best X median Y ns`."""
    found = re.search(name + r" best ([\d.]+) median ([\d.]+)", printed)
    if not found:
        raise Failure(f"no times of {name} in: {printed.strip()[:200]}")
    return float(found[1]), float(found[2])


def print_rounds(runs):
    """Prints what pairs of runs took, the best and the median of each one's rounds."""
    for number, name in enumerate(("best round", "median round")):
        pairs = [(first[number], second[number]) for first, second in runs]
        columns = [statistics.median(column) for column in zip(*pairs)]
        ratio = statistics.median(second / first for first, second in pairs)
        print(f"{name:14}{columns[0]:10.0f}{columns[1]:10.0f}{ratio:8.3f}", flush=True)


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reach", metavar="PATH", help="the command to measure")
    parser.add_argument("--dispatch", metavar="PATH",
                        help="a program whose `dispatch N` prints what `host dispatch N` prints")
    parser.add_argument("--scale", metavar="PATH",
                        help="a program that times N targets as scale-benchmark does")
    parser.add_argument("--routes", type=int, default=200, metavar="N",
                        help="route changes each way, per series (default: 200; 0: none)")
    parser.add_argument("--carriers", type=int, default=30, metavar="N",
                        help="carrier changes each way, per series (default: 30; 0: none)")
    parser.add_argument("--series", choices=("together", "turns", "both"), default="both",
                        help="both programs hear each change, or each its own (default: both)")
    parser.add_argument("--no-scripts", dest="scripts", action="store_false",
                        help="leave out what many scripts and many waits cost")
    parser.add_argument("--idle", type=float, metavar="SECONDS", help="measure rest as well")
    return parser.parse_args()


def parts(bench, arguments):
    """What is to be measured, as functions."""
    for together in (True, False):
        if arguments.series == ("turns" if together else "together"):
            continue
        for kind, count in (("route", arguments.routes), ("carrier", arguments.carriers)):
            if count > 0:
                yield lambda: bench.latency(kind, count, together)
    if arguments.dispatch or not arguments.reach:
        yield bench.dispatch
    if arguments.scale:
        yield bench.scale
    if arguments.reach and arguments.scripts:
        yield bench.wait
        yield bench.scripts
    if arguments.reach:
        yield bench.silent
    if arguments.idle:
        yield bench.idle


def main():
    arguments = parse()
    if os.geteuid() != 0:
        sys.exit("bench.py: needs root for network namespaces")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    failed = False
    with tempfile.TemporaryDirectory(prefix="reach-bench.") as work:
        try:
            bench = Bench(arguments, work)
        except Failure as failure:
            sys.exit(f"bench.py: {failure}")
        for part in parts(bench, arguments):
            try:
                part()
            except Failure as failure:
                print(f"bench.py: {failure}", file=sys.stderr)
                failed = True
    sys.exit(failed)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
