"""Servers that are no servers of a handout: `python rude.py PORT MODE`. Standard library only."""

from __future__ import annotations

import os
import random
import socket
import sys
import threading
import time

MODES = {
    "ends": "ends at once with exit code 3, and prints a reason",
    "deaf": "never listens",
    "silent": "accepts connections, and never answers",
    "closes": "closes each connection without an answer",
    "noise": "answers with lines that are no HTTP",
    "half": "sends the first half of an answer, and closes the connection",
    "drip": "sends an answer byte by byte, and stops before its end",
    "random": "answers with a random board",
    "crash": "answers three requests with a board, and ends",
    "late": "answers each request with a board after 60 seconds",
    "elsewhere": "answers 404, except below /api",
    "failing": "answers 500",
}


def board(size: int) -> str:
    """Return a board of 18x14 with one of the spots `size` times at random."""
    spots = ["down", "none", "up A", "my A", "up B", "my 🦄"]
    lines = [random.choice(spots) if size > 1 else "down" for _ in range(18 * 14)]
    return "\n".join(["18x14", *lines]) + "\n"


def reply(status: str, text: str) -> bytes:
    body = text.encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


answered = 0


def serve(connection: socket.socket, mode: str) -> None:
    global answered
    with connection:
        request = connection.recv(65536)
        if not request:
            return  # the check has only looked whether the server listens
        if mode == "silent":
            time.sleep(600)
        elif mode == "noise":
            connection.sendall(b"Welcome to Memory Scramble\r\nWhat is your name?\r\n\r\n")
        elif mode == "half":
            text = reply("200 OK", board(1))
            connection.sendall(text[: len(text) // 2])
        elif mode == "drip":
            for byte in reply("200 OK", board(1))[:200]:
                connection.sendall(bytes([byte]))
                time.sleep(0.001)
            time.sleep(600)
        elif mode == "random":
            connection.sendall(reply("200 OK", board(6)))
        elif mode == "crash":
            answered += 1
            if answered > 3:
                print("Segmentation fault", flush=True)
                os._exit(139)
            connection.sendall(reply("200 OK", board(1)))
        elif mode == "late":
            time.sleep(60)
            connection.sendall(reply("200 OK", board(1)))
        elif mode == "elsewhere":
            is_there = request.startswith(b"GET /api")
            connection.sendall(reply("200 OK", board(1)) if is_there else reply("404 Not Found", "Cannot GET\n"))
        elif mode == "failing":
            connection.sendall(reply("500 Internal Server Error", "TypeError: board is undefined\n"))


def main() -> None:
    port, mode = int(sys.argv[1]), sys.argv[2]
    if mode == "ends":
        print("Error: Cannot find module 'server.js'", flush=True)
        sys.exit(3)
    if mode == "deaf":
        time.sleep(600)
    listener = socket.create_server(("127.0.0.1", port), backlog=64)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection, mode), daemon=True).start()


if __name__ == "__main__":
    main()
