"""The real load balancers HAProxy and nginx, with the configurations in deploy/.

with HaProxy(folder, fleet.ports) as balancer:
    httpx.get(f"{balancer.url}/rooms")
    assert balancer.servers()["a"]["status"] == "UP"

Only ports, addresses and paths of a configuration are replaced. Tests that need a balancer are marked `needs_haproxy`
or `needs_nginx`, and are skipped if the balancer is not installed.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_lowercase
from typing import Final, Self

import pytest

from tests.support import HANG_S
from tests.support.cluster.redis import free_port
from tests.support.process import ROOT

PATH: Final = (
    f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/usr/local/sbin"  # the PATH of users may lack the last two
)
HAPROXY: Final = shutil.which("haproxy", path=PATH)
NGINX: Final = shutil.which("nginx", path=PATH)
TRY_S: Final = 0.05  # seconds between two tries to connect to a program that starts

needs_haproxy: Final = pytest.mark.skipif(HAPROXY is None, reason="no haproxy is installed")
needs_nginx: Final = pytest.mark.skipif(NGINX is None, reason="no nginx is installed")

BIND: Final = re.compile(r"^(\s+)bind :8080$", re.MULTILINE)
LISTEN: Final = re.compile(r"^(\s+)listen 8080;$", re.MULTILINE)
SERVERS: Final = re.compile(r"(?:^\s+server (?:[a-z] )?scramble-[a-z]:8080.*\n)+", re.MULTILINE)
SERVER: Final = re.compile(r"^(\s+server )(?:a )?scramble-a:8080(.*)$", re.MULTILINE)


class Frontend:
    """A balancer in front of these ports of this machine. It runs during its `with` block."""

    def __init__(self, folder: Path, ports: Sequence[int]) -> None:
        folder.mkdir()
        self._folder: Final = folder
        self._ports: Final = ports
        self._process: subprocess.Popen[bytes] | None = None
        self.port: Final = free_port()

    @property
    def url(self) -> str:
        """The address of the balancer."""
        return f"http://127.0.0.1:{self.port}"

    def command(self) -> Sequence[str]:
        """Write the configuration; return the command that runs it in the foreground."""
        raise NotImplementedError

    def _configured(self, name: str, listen: re.Pattern[str], listening: str, *, named: bool) -> Path:
        """Write the shipped configuration of that name with the ports of this test."""
        shipped = (ROOT / "deploy" / name).read_text()
        found = SERVER.search(shipped)
        assert found is not None
        begin, end = found.groups()
        lines = [
            f"{begin}{f'{letter} ' if named else ''}127.0.0.1:{port}{end}\n"
            for letter, port in zip(ascii_lowercase, self._ports, strict=False)
        ]
        text, changes = listen.subn(rf"\1{listening}", SERVERS.sub("".join(lines), shipped))
        assert changes == 1
        path = self._folder / name
        path.write_text(text)
        return path

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self.command())
        pause = threading.Event()
        for _ in range(int(HANG_S / TRY_S)):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return self
            except ConnectionRefusedError:
                assert self._process.poll() is None
                pause.wait(TRY_S)
        raise TimeoutError(f"{self._process.args!r} does not listen")

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        self._process.terminate()
        self._process.wait(HANG_S)


class HaProxy(Frontend):
    """HAProxy with servers "a", "b" and so on."""

    def __init__(self, folder: Path, ports: Sequence[int]) -> None:
        super().__init__(folder, ports)
        self._control_port: Final = free_port()  # the path of a UNIX socket may be too long in a test's folder

    def command(self) -> Sequence[str]:
        """Write the configuration, and a second one with a socket for the test's commands."""
        assert HAPROXY is not None
        shipped = self._configured("haproxy.cfg", BIND, f"bind 127.0.0.1:{self.port}", named=True)
        control = self._folder / "control.cfg"
        control.write_text(f"global\n    stats socket ipv4@127.0.0.1:{self._control_port} level admin\n")
        return (HAPROXY, "-db", "-f", str(control), "-f", str(shipped))

    def ask(self, command: str) -> str:
        """Execute a command of HAProxy; return its answer."""
        with socket.create_connection(("127.0.0.1", self._control_port), HANG_S) as connection:
            connection.sendall(f"{command}\n".encode())
            with connection.makefile() as answer:
                return answer.read()

    def servers(self) -> Mapping[str, Mapping[str, str]]:
        """Return HAProxy's data of its servers by name: `status`, `chkdown` (its number of failures), and more."""
        rows = csv.DictReader(self.ask("show stat").removeprefix("# ").splitlines())
        return {row["svname"]: row for row in rows if row["pxname"] == "scramble" and len(row["svname"]) == 1}

    def send_nothing_to(self, name: str) -> None:
        """Send no more connections to a server, until `send_to`."""
        self.ask(f"set server scramble/{name} state drain")

    def send_to(self, name: str) -> None:
        """Send connections to a server again."""
        self.ask(f"set server scramble/{name} state ready")


class Nginx(Frontend):
    """nginx with the shipped configuration."""

    def command(self) -> Sequence[str]:
        """Write the configuration, and a second one that includes it, with files in a folder of the test."""
        assert NGINX is not None
        shipped = self._configured("nginx.conf", LISTEN, f"listen 127.0.0.1:{self.port};", named=False)
        main, folder = self._folder / "main.conf", self._folder
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = "\n".join(f"    {kind}_temp_path {folder / kind};" for kind in kinds)
        main.write_text(
            f"daemon off;\npid {folder / 'pid'};\nerror_log {folder / 'error.log'};\nevents {{}}\n"
            f"http {{\n    access_log off;\n{temporary}\n    include {shipped};\n}}\n"
        )
        return (NGINX, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(main))
