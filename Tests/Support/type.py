#!/usr/bin/env python3
"""Types keys into an interactive shell as a person would.

type.py SHELL COMPLETION KEYS... starts SHELL with the file COMPLETION loaded and an empty HOME, types
each KEYS and Return, and prints the words that `reach` was then called with, one JSON list a line, in
which HOME stands for that HOME.
In KEYS \\t is a tab. $REACH is the program that answers `reach --complete`.
"""

import json
import os
import pty
import select
import shutil
import signal
import sys
import tempfile
import time

PATIENCE = 30
WRAPPER = """#!/bin/sh
[ "$1" != --complete ] || exec "$REACH" "$@"
{ for word; do printf '%s\\0' "$word"; done; } > "$HOME/part" && mv "$HOME/part" "$HOME/words"
"""
# What is typed first. The prompt is cut in two there, so that its echo is not taken for it.
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "PS1='the''re '; . {file}"),
    "zsh": (
        ["zsh", "-f", "-i"],
        "PS1='the''re '; fpath=({folder} $fpath); autoload -Uz compinit; compinit -D -u",
    ),
    "fish": (["fish", "-i"], "function fish_prompt; echo -n 'the''re '; end; source {file}"),
}


class Terminal:
    def __init__(self, arguments):
        self.child, self.descriptor = pty.fork()
        if self.child == 0:
            os.execvp(arguments[0], arguments)
        self.seen = b""

    def type(self, keys):
        os.write(self.descriptor, keys.encode())

    def wait(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                sys.exit(f"in vain; the terminal shows {self.seen.decode(errors='replace')!r}")
            if select.select([self.descriptor], [], [], 0.02)[0]:
                self.seen += os.read(self.descriptor, 65536)

    def end(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)


def main():
    shell, completion, *lines = sys.argv[1:]
    home = tempfile.mkdtemp()
    program = os.path.join(home, "bin", "reach")
    os.mkdir(os.path.dirname(program))
    with open(program, "w") as file:
        file.write(WRAPPER)
    os.chmod(program, 0o755)
    # Where zsh looks, a completion has this name.
    shutil.copy(completion, os.path.join(home, "_reach"))
    path = f"{os.path.dirname(program)}:{os.environ['PATH']}"
    os.environ.update(HOME=home, PATH=path, TERM="xterm", LC_ALL="C.UTF-8")
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        del os.environ[name]
    arguments, beginning = SHELLS[shell]
    terminal = Terminal(arguments)
    words = os.path.join(home, "words")
    try:
        terminal.wait(lambda: terminal.seen)
        terminal.type(beginning.format(file=completion, folder=home) + "\r")
        terminal.wait(lambda: b"there" in terminal.seen)
        for line in lines:
            terminal.type(line.replace("\\t", "\t") + "\r")
            terminal.wait(lambda: os.path.exists(words))
            with open(words) as file:
                given = file.read().replace(home, "HOME").split("\0")[:-1]
            print(json.dumps(given, ensure_ascii=False), flush=True)
            os.remove(words)
    finally:
        terminal.end()
        shutil.rmtree(home, ignore_errors=True)


main()
