"""A shell for a reader of the documentation: runs the commands of a `console` block, and keeps the servers running.

A block is a dialogue: the shell runs each line after a `$ `. It starts a command that serves a game on free ports, and
stops it when the shell closes. In later commands the real ports replace the documented ones. The lines without `$ `
right after a command are its output; `...` matches any text.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.support import PROGRAM_S
from tests.support.process import ServerProcess

FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SERVES = re.compile(
    r"^(?:make play|hypercorn .*|python docs/examples/\S+\.py"
    r"|scramble(?: (?:serve|memory|minesweeper|crossword)\b[^|&>]*| replay [^|&>]*--http-port[^|&>]*)?)$"
)
PLAIN = re.compile(r"scramble [^|&;<>()$`*?#~=]*")  # a command line of which a shell only splits the words
PORT_OPTION = re.compile(r"--(?:telnet-|http-)?port +\d+")
ADDRESS = re.compile(r"(?:http://\S+:|telnet \S+ )(\d+)")


class Shell:
    """Runs commands in a folder. Knows its started servers."""

    def __init__(self, folder: Path, env: Mapping[str, str], before: str = "", *, forks: bool = False) -> None:
        """Each terminal first runs `before`, such as `. .venv/bin/activate`.

        `forks`: fork `scramble`, if possible, instead of starting it (tests/support/forge.py).
        """
        self.folder = folder
        self.servers: list[ServerProcess] = []
        self.ports: dict[str, str] = {}
        # `make play` serves on that port, and keeps its rooms in that folder. The examples serve on that port, too.
        self.env = dict(env, PORT="0", XDG_DATA_HOME=str(folder / ".data"))
        self.before = before and f"{before} && "
        self.forks = forks

    def play(self, block: str) -> None:
        """Run a whole block, and check its output."""
        for command, printed in dialogue(block):
            if SERVES.match(command):
                self.serve(command)
                continue
            output = self.run(command)
            if printed.strip():
                pattern = ".*".join(re.escape(part) for part in printed.strip().split("..."))
                assert re.fullmatch(pattern, output.strip(), re.DOTALL), f"$ {command} printed\n{output}"

    def serve(self, command: str) -> None:
        """Start a server on free ports, and read its ports."""
        options = PORT_OPTION.findall(command)
        if "hypercorn" in command:
            command = command.replace("hypercorn", "hypercorn --bind 127.0.0.1:0")
        for option in options:
            command = command.replace(option, f"{option.split()[0]} 0")
        if command == "make play" and not (self.folder / "Makefile").exists():
            command = "scramble serve --port 0"
        elif not options and command.startswith("scramble"):
            game = command.split()[1] if " " in command else "serve"
            command = f"{command if ' ' in command else 'scramble serve'} --port 0"
            command += " --telnet-port 0" if game == "crossword" else ""
        server = self._start(command) or ServerProcess(
            f"{self.before}exec {command} 2>&1",
            program=("bash", "-c"),
            folder=self.folder,
            environment=self.env,
            group=True,
        )
        self.servers.append(server)
        documented = iter([option.split()[1] for option in options] or ["8080"])
        wanted = max(1, len(options))
        while wanted:
            line = server.line()
            printed = server.output.text + server.complaints
            assert line, f"{command!r} printed no address and ended with {server.wait()}\n{printed}"
            if match := ADDRESS.search(line):
                self.ports[next(documented)] = match[1]
                wanted -= 1

    def run(self, command: str) -> str:
        """Run a command to its end, and return its output. It must exit with code 0."""
        for documented, real in self.ports.items():
            command = re.sub(rf"\b{documented}\b", real, command)
        if forked := self._start(command):
            with forked:
                assert forked.wait() == 0, f"$ {command}\n{forked.output.text}{forked.complaints}"
                return forked.output.text
        done = subprocess.run(
            ["bash", "-c", self.before + command],
            cwd=self.folder,
            env=self.env,
            text=True,
            capture_output=True,
            timeout=PROGRAM_S,
        )
        assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def _start(self, command: str) -> ServerProcess | None:
        """Fork a `scramble`; return None if that is not wanted, or the command needs a shell."""
        if self.forks and PLAIN.fullmatch(command):
            return ServerProcess(*shlex.split(command)[1:], folder=self.folder, environment=self.env)
        return None

    def close(self) -> None:
        """Press Ctrl-C in the terminals of the servers."""
        for server in self.servers:
            server.stop()  # `make` and its child processes, as in a terminal


def dialogue(text: str) -> Iterator[tuple[str, str]]:
    """The pairs (command, its output) of a console block."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, printed = part.replace("\\\n", " ").partition("\n")
        yield " ".join(command.split()), printed


def serving(text: str) -> str:
    """The commands of a console block that start servers, as a block."""
    return "".join(f"$ {command}\n" for command, _ in dialogue(text) if SERVES.match(command))
