"""Servers of Crossword Extravaganza with wires of their own, as other teams may choose them, and their bugs.

`python -m tests.system.conform.student_crossword_other PORT PUZZLE_DIR WIRE [BUG...]`. They share no code with the
package. A server knows its puzzles, but plays no match.
"""

from __future__ import annotations

import os
import re
import socket
import sys
import threading
from pathlib import Path

WIRES = {
    "greeting": "greets each client with the list of puzzles",
    "echo": "sends each line back",
    "http": "answers HTTP requests",
    "silent": "reads, and answers nothing",
}

BUGS = {
    "one-client-at-a-time": "a second client waits until the first one has left",
    "three-clients": "a fourth client at once is not served",
    "two-clients-in-all": "a third client is never served",
    "dies-of-bytes": "bytes that are not UTF-8 end the server",
    "dies-of-empty-lines": "an empty line ends the server",
    "dies-of-nonsense": "a command without its words ends the server",
    "dies-of-long-lines": "a long line ends the server",
    "dies-of-resets": "a reset connection ends the server",
    "dies-of-half-a-line": "a client that leaves in a line ends the server",
    "sends-solutions": "the greeting has the words of the puzzles",
    "dies-of-bad-files": "a bad file ends the server",
    "dies-of-an-empty-file": "an empty file ends the server",
}


def end() -> None:
    os._exit(1)


class Server:
    def __init__(self, folder: Path, wire: str, bugs: set[str]) -> None:
        self.wire, self.bugs = wire, bugs
        self.clients = self.accepted = 0
        self.lock, self.turn = threading.Lock(), threading.Lock()
        self.list = ""
        for path in sorted(folder.glob("*.puzzle")):
            text = path.read_bytes().decode(errors="replace")
            if "dies-of-an-empty-file" in bugs and not text:
                end()
            if not re.match(r'\s*(//.*\n)*\s*>>\s*".*"\s*".*"', text):
                if "dies-of-bad-files" in bugs:
                    end()
                continue
            self.list += f"{path.stem} {text if 'sends-solutions' in bugs else ''}\n"

    def serve(self, stream: socket.socket) -> None:
        with self.lock:
            self.clients += 1
            self.accepted += 1
            full = "three-clients" in self.bugs and self.clients > 3
            full = full or ("two-clients-in-all" in self.bugs and self.accepted > 2)
        if "one-client-at-a-time" in self.bugs:
            self.turn.acquire()
        try:
            if not full:
                self.talk(stream)
            else:
                stream.recv(1)
        except ConnectionResetError:
            if "dies-of-resets" in self.bugs:
                end()
        except OSError:
            pass
        finally:
            with self.lock:
                self.clients -= 1
            if "one-client-at-a-time" in self.bugs:
                self.turn.release()
            stream.close()

    def talk(self, stream: socket.socket) -> None:
        if self.wire == "greeting":
            stream.sendall(f"Welcome! The puzzles:\n{self.list}Your ID?\n".encode())
        rest = b""
        while data := stream.recv(65536):
            rest += data
            if "dies-of-long-lines" in self.bugs and len(rest) > 100_000:
                end()
            *lines, rest = rest.split(b"\n")
            for line in lines:
                self.hear(stream, line)
                if self.wire == "http" and line in (b"", b"\r"):
                    return
        if rest and "dies-of-half-a-line" in self.bugs:
            end()

    def hear(self, stream: socket.socket, line: bytes) -> None:
        if "dies-of-bytes" in self.bugs and b"\xff" in line:
            end()
        if "dies-of-empty-lines" in self.bugs and not line.strip():
            end()
        if "dies-of-nonsense" in self.bugs and line in (b"PLAY", b"TRY one two"):
            end()
        if self.wire == "echo":
            stream.sendall(line[:100] + b"\n")
        elif self.wire == "http" and line.startswith(b"GET "):
            body = self.list.encode()
            stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


def listen(port: int, folder: Path, wire: str, bugs: set[str]) -> socket.socket:
    """Serve in threads; return the listening socket."""
    assert wire in WIRES, wire
    assert bugs <= set(BUGS), bugs
    server = Server(folder, wire, bugs)
    listener = socket.create_server(("127.0.0.1", port), backlog=128)

    def accept() -> None:
        while True:
            try:
                stream, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=server.serve, args=(stream,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener


def main() -> None:
    port, folder, wire, *bugs = sys.argv[1:]
    listen(int(port), Path(folder), wire, set(bugs))
    threading.Event().wait()


if __name__ == "__main__":
    main()
