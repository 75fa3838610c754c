"""Throw-away network namespaces and the processes in them."""
import itertools
import os
import re
import subprocess
import time

STAMP = re.compile(r"stamp (\w+) (\d+\.\d+)")
GATEWAY = "192.0.2.1"
NUMBERS = itertools.count(1)


class Failure(Exception):
    """Something could not be measured."""


def command(*words):
    """Runs a command to its end and returns what it printed."""
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Failure(f"{' '.join(words)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


class Network:
    """A host and its router: two namespaces joined by a veth pair.

    The ends have distinct indexes; equal ones are taken for a physical card, whose carrier changes
    the kernel tells at most once a second.
    """

    def __init__(self):
        number = next(NUMBERS)
        self.host = f"reach-bench-{os.getpid()}-host-{number}"
        self.router = f"reach-bench-{os.getpid()}-router-{number}"
        self.names = []
        self.port = "b0"
        try:
            self.build()
        except BaseException:
            self.close()
            raise

    def build(self):
        for name in (self.host, self.router):
            self.names.append(name)
            command("ip", "netns", "add", name)
            self.ip(name, "link set lo up")
        self.ip(self.host, "link add eth0 index 11 type veth "
                           f"peer name {self.port} index 22 netns {self.router}")
        self.ip(self.router, f"addr add {GATEWAY}/24 dev {self.port}")
        self.ip(self.router, f"link set {self.port} up")
        self.ip(self.host, "addr add 192.0.2.2/24 dev eth0")
        self.ip(self.host, "link set eth0 up")
        self.ip(self.host, f"route add default via {GATEWAY}")
        # Duplicate address detection and the carrier's own delay are over by then.
        time.sleep(2.5)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def ip(self, namespace, words):
        command("ip", "-n", namespace, *words.split())

    def close(self):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL)
        self.names = []


class Watcher:
    """A program that watches the default route in a network and stamps what it hears.

    It writes to a file: whoever reads a pipe would wake up just when the other program works.
    """

    def __init__(self, network, words, log):
        self.log = log
        self.words = words
        with open(log, "w") as file:
            self.process = subprocess.Popen(
                ["ip", "netns", "exec", network.host, *words],
                stdin=subprocess.DEVNULL, stdout=file, stderr=file)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def pid(self):
        return self.process.pid

    def stamps(self):
        """All (status, CLOCK_BOOTTIME) so far."""
        with open(self.log) as file:
            return [(status, float(at)) for status, at in STAMP.findall(file.read())]

    def await_stamps(self, count):
        self.until(lambda: len(self.stamps()) >= count, "too few stamps")

    def await_text(self, text):
        """What it printed, once that holds a text."""
        self.until(lambda: text in self.printed(), f'no "{text}"')
        return self.printed()

    def printed(self):
        with open(self.log) as file:
            return file.read()

    def until(self, is_there, what):
        end = time.monotonic() + 30
        while not is_there():
            if self.process.poll() is not None or time.monotonic() > end:
                said = self.printed()[-500:].strip()
                raise Failure(f"{' '.join(self.words)} printed {what}: {said}")
            time.sleep(0.05)

    def close(self):
        if self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def memory(self):
        """VmRSS in KiB."""
        with open(f"/proc/{self.pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])

    def wakeups(self):
        """How often each thread gave its processor up to wait, by thread."""
        counts = {}
        for thread in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{thread}/status") as file:
                found = re.search(r"\nvoluntary_ctxt_switches:\s+(\d+)", file.read())
            counts[thread] = int(found[1])
        return counts
