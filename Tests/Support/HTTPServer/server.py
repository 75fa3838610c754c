"""Answers HTTP as it is told to by the path, on a few ports; see HTTPServer.swift.

server.py ADDRESS [PORT] listens on PORT and the ports after it, else on any. It prints one line:
its process, then `NAME=PORT` for each, then the file of the authority that signed `good`. It ends
when its parent does.
"""
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from urllib.parse import unquote_to_bytes

# What each port shows: the name in its certificate, the days for which that is valid, and whether
# the authority has signed it.
CERTIFICATES = {"good": ("nas.test", 2, True), "wrong": ("other.test", 2, True),
                "expired": ("nas.test", -1, True), "own": ("nas.test", 2, False)}


def certificate(folder, name, days, signed):
    """Makes a key with a certificate, and returns its file."""
    path = f"{folder}/{name}-{days}-{signed}"
    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", path + ".key",
           "-subj", f"/CN={name}"]
    alias = ["-addext", f"subjectAltName=DNS:{name},IP:127.0.0.1"]
    if signed:
        run("req", *new, *alias, "-out", path + ".csr")
        run("x509", "-req", "-in", path + ".csr", "-CA", f"{folder}/ca", "-CAkey", f"{folder}/ca.key",
            "-days", str(days), "-copy_extensions", "copy", "-out", path)
    else:
        run("req", "-x509", *new, *alias, "-days", str(days), "-out", path)
    return path


def run(*words):
    subprocess.run(["openssl", *words], check=True, capture_output=True)


def answer(peer):
    """Answers one request: the path's first step says how, the rest may hold the bytes to send."""
    request = b""
    while b"\r\n\r\n" not in request:
        piece = peer.recv(65536)
        if not piece:
            return
        request += piece
        if request[0] == 0x16:  # the start of TLS, where none is spoken
            return peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    _, path, _ = request.split(b" ", 2)
    _, how, *rest = path.split(b"/", 2)
    raw = unquote_to_bytes(rest[0]) if rest else b""
    match how:
        case b"raw":  # exactly these bytes
            peer.sendall(raw)
        case b"drip":  # these, then a byte now and then
            peer.sendall(raw)
            while True:
                time.sleep(0.05)
                peer.sendall(b"x")
        case b"endless":  # these, then more than anybody wants
            peer.sendall(raw)
            while True:
                peer.sendall(b"x" * 65536)
        case b"echo":  # the request itself; a body belongs to it that is announced
            head, _, body = request.partition(b"\r\n\r\n")
            for line in head.lower().split(b"\r\n"):
                while line.startswith(b"content-length:") and len(body) < int(line[15:]):
                    body += peer.recv(65536)
            request = head + b"\r\n\r\n" + body
            peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(request) + request)
        case b"wide":  # one header of a megabyte
            peer.sendall(b"HTTP/1.1 200 OK\r\nA: " + b"x" * (1 << 20) + b"\r\n\r\n")
        case b"many":  # headers without end
            peer.sendall(b"HTTP/1.1 200 OK\r\n")
            while True:
                peer.sendall(b"A: x\r\n" * 1000)
        case b"interim":  # interim answers without end
            while True:
                peer.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)
        case b"silent":  # nothing
            peer.recv(1)
        case b"reset":  # an end that is no end
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        # Anything else ends at once.


def serve(listener, context):
    def handle(peer):
        try:
            with context.wrap_socket(peer, server_side=True) if context else peer as peer:
                answer(peer)
        except OSError:
            pass

    while True:
        threading.Thread(target=handle, args=[listener.accept()[0]], daemon=True).start()


def main():
    address, first = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    parent = os.getppid()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    # Who starts it may block signals.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    folder = tempfile.mkdtemp()
    run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
        f"{folder}/ca.key", "-out", f"{folder}/ca", "-days", "2", "-subj", "/CN=Reach tests")
    words = [str(os.getpid())]
    for offset, name in enumerate(["plain", *CERTIFICATES]):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        listener = socket.create_server((address, first and first + offset), family=family, backlog=4096)
        context = None
        if name in CERTIFICATES:
            path = certificate(folder, *CERTIFICATES[name])
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(path, path + ".key")
        threading.Thread(target=serve, args=[listener, context], daemon=True).start()
        words.append(f"{name}={listener.getsockname()[1]}")
    print(*words, f"{folder}/ca", flush=True)
    try:
        while os.getppid() == parent:
            time.sleep(0.1)
    finally:
        subprocess.run(["rm", "-rf", folder])


main()
