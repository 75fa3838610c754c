#!/usr/bin/env python3
"""Runs each attack of a folder as the body of a handler in a daemon of its own, beside a second
script whose timer writes the time every 100 ms, and reads from that whether the daemon lived,
kept nobody waiting for a second, stayed small and ended as it was told to.

attacks.py REACH FOLDER; works in a temporary folder, prints what is wrong, then a summary.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

TICK = """
reach.every("100ms", function()
  reach.write{ path = "ticks", append = true, text = reach.now() .. "\\n" }
end)
"""
HOOK = """
reach.on{ name = "attack", target = reach.target{ address = "127.0.0.1", route = true },
  reachable = function(e)
%s
  end }
"""
# How long an attack may take, and how long the other script goes on after it.
ATTACK, REST = 5, 0.6


def run(reach, body, folder):
    """The faults of one attack, the worst gap between two ticks, and the most memory in KiB."""
    for name, text in ("tick.lua", TICK), ("attack.lua", HOOK % body):
        with open(f"{folder}/{name}", "w", errors="surrogateescape") as file:
            file.write(text)
    log = f"{folder}/log"
    with open(log, "w") as errors:
        daemon = subprocess.Popen(
            [reach, "run", "--state-dir", f"{folder}/state", "--socket", f"{folder}/control",
             f"{folder}/tick.lua", f"{folder}/attack.lua"], stderr=errors)
    end = time.monotonic() + ATTACK
    pattern = re.compile(r"attack/attack: reachable: (finished|failed|killed)|attack\.lua:\d+")
    while time.monotonic() < end:
        with open(log, errors="replace") as file:
            if pattern.search(file.read()):
                break
        time.sleep(0.05)
    else:
        return ["the attack did not end"], 0, 0
    time.sleep(REST)
    faults = []
    with open(f"/proc/{daemon.pid}/status") as file:
        memory = int(re.search(r"VmHWM:\s+(\d+)", file.read())[1])
    if daemon.poll() is not None:
        faults.append(f"the daemon ended by itself with {daemon.returncode}")
    daemon.send_signal(signal.SIGTERM)
    try:
        code = daemon.wait(20)
        if code != 0:
            faults.append(f"the daemon ended with {code}")
    except subprocess.TimeoutExpired:
        faults.append("the daemon did not end")
        daemon.kill()
        daemon.wait()
    with open(f"{folder}/ticks") as file:
        ticks = [float(line) for line in file]
    gap = max((after - before for before, after in zip(ticks, ticks[1:])), default=99)
    if gap > 1:
        faults.append(f"the other script waited {gap:.2f} s")
    return faults, gap, memory


def main():
    reach, attacks = os.path.abspath(sys.argv[1]), sys.argv[2]
    count = worst = memory = faulty = 0
    for name in sorted(os.listdir(attacks)):
        if not name.endswith(".lua"):
            continue
        with open(f"{attacks}/{name}", errors="surrogateescape") as file:
            body = file.read()
        with tempfile.TemporaryDirectory() as folder:
            faults, gap, peak = run(reach, body, folder)
        count, faulty = count + 1, faulty + len(faults)
        worst, memory = max(worst, gap), max(memory, peak)
        for fault in faults:
            print(f"{name}: {fault}")
    print(f"{count} attacks, {faulty} faults; worst gap {worst:.2f} s; VmHWM {memory} KiB")
    return 1 if faulty else 0


sys.exit(main())
