#!/usr/bin/env python3
"""Kills a daemon at random moments while targets flap, and reads from what its hooks wrote whether
each was told the truth after every restart, twice only where a kill fell inside its run and then
marked so, and whether what scripts keep came back whole.

crashes.py REACH KILLS [SEED]; works in the present folder, prints what is wrong, then a summary.
"""
import os
import random
import signal
import socket
import subprocess
import sys
import time

HOOK = """
local names = { "a", "b", "c" }
for index, port in ipairs{ %s } do
  reach.on{ name = names[index],
    target = reach.target{ address = "127.0.0.1", name = names[index], tcp = port,
      every = "100ms", timeout = "1s", fall = 1, rise = 1 },
    change = function(e)
      local store = reach.store
      local count = (store[e.target] or 0) + 1
      if store[e.target] ~= store[e.target .. "2"] then count = -1000000 end
      store[e.target], store[e.target .. "2"] = count, count
      local function note(word)
        reach.write{ path = e.target .. ".log", append = true, text = string.format(
          "%%s %%s %%s %%d\\n", word, e.status, e.retried, count) }
      end
      note("begin")
      reach.sleep("30ms")
      note("end")
    end }
end
"""


class Target:
    """A port that somebody listens at, or nobody."""

    def __init__(self, name):
        self.name = name
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.port = server.getsockname()[1]
        self.server = None
        self.kills = []  # how many lines there were at each kill

    def flap(self):
        if self.server:
            self.server.close()
            self.server = None
        else:
            self.server = socket.create_server(("127.0.0.1", self.port))

    @property
    def truth(self):
        return "reachable" if self.server else "unreachable"

    def lines(self):
        try:
            with open(self.name + ".log") as log:
                return [line.split() for line in log.read().splitlines()]
        except FileNotFoundError:
            return []

    def is_told(self):
        lines = self.lines()
        return bool(lines) and lines[-1][:2] == ["end", self.truth]


def start(reach):
    log = open("daemon.log", "a")
    return subprocess.Popen(
        [reach, "run", "--state-dir", "state", "--socket", "control", "hook.lua"], stderr=log)


def until_told(targets, limit=20):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if all(target.is_told() for target in targets):
            return True
        time.sleep(0.01)
    return False


def judge(target):
    """What is wrong with what a hook wrote, line for line."""
    faults, retried = [], 0
    told, was_killed, count = None, False, 0
    kills = sorted(target.kills)
    for number, (word, status, is_retried, kept) in enumerate(target.lines()):
        place = f"{target.name}.log:{number + 1}: "
        was_killed = was_killed or number in kills
        if word == "end":
            told, was_killed = status, False
            continue
        # Kept ahead of what was written: a kill may have come between.
        if not count < int(kept) <= count + 1 + sum(kill <= number for kill in kills):
            faults.append(f"{place}the store says {kept} after {count}")
        count = int(kept)
        if is_retried == "true":
            retried += 1
            if not was_killed:
                faults.append(f"{place}marked as retried, though no kill came before")
        elif status == told:
            faults.append(f"{place}{status} told twice, and not marked")
    return faults, retried


def main():
    reach, kills = sys.argv[1], int(sys.argv[2])
    random.seed(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    targets = [Target(name) for name in "abc"]
    with open("hook.lua", "w") as hook:
        hook.write(HOOK % ", ".join(str(target.port) for target in targets))
    faults = []
    for number in range(kills):
        daemon = start(reach)
        end = time.monotonic() + random.uniform(0.2, 1.2)
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(left, random.uniform(0.02, 0.2)))
            random.choice(targets).flap()
        daemon.send_signal(signal.SIGKILL)
        daemon.wait()
        for target in targets:
            target.kills.append(len(target.lines()))
        daemon = start(reach)
        if not until_told(targets):
            faults.append(f"kill {number + 1}: the last truth was not told")
        # Half of the daemons go on to be killed in the next round's flaps, half end well.
        daemon.send_signal(signal.SIGKILL if number % 2 else signal.SIGTERM)
        daemon.wait()
        for target in targets:
            target.kills.append(len(target.lines()))
    retried = 0
    for target in targets:
        found, count = judge(target)
        faults += found
        retried += count
    for fault in faults:
        print(fault)
    runs = sum(len(target.lines()) for target in targets) // 2
    print(f"{kills} kills, {runs} runs, {retried} retried, {len(faults)} faults")


main()
