"""Every example in README.md and docs/ runs.

Strategy: the documents are taken apart into fenced blocks.
- a `python` block is a complete program: it is run, from the top of the checkout, and must not fail;
- a `console` block is a dialogue with a shell: each line after a `$ ` is run. A command that serves a game is started
  on free ports and stopped at the end of its document; the commands after it find its addresses replaced by the real
  ones. The lines without `$ ` right after a command are what it prints; `...` stands for anything.
- other blocks (`text`, `json`) are not examples to run.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SERVES = re.compile(
    r"^(?:make play|hypercorn .*"
    r"|scramble(?: (?:memory|minesweeper|crossword)\b[^|&>]*| replay [^|&>]*--http-port[^|&>]*)?)$"
)
PORT_OPTION = re.compile(r"--(?:telnet-|http-)?port +\d+")
ADDRESS = re.compile(r"(?:http://\S+:|telnet \S+ )(\d+)")
DEADLINE_S = 60  # to end a hanging example, not to judge a slow one


def blocks(language: str) -> list[tuple[str, str]]:
    """(where, text) of every block in that language."""
    found = []
    for document in DOCUMENTS:
        text = document.read_text()
        for match in FENCE.finditer(text):
            if match[1] == language:
                line = text.count("\n", 0, match.start()) + 1
                found.append((f"{document.relative_to(ROOT)}:{line}", match[2]))
    return found


PYTHON = blocks("python")
CONSOLE = blocks("console")


@pytest.mark.parametrize("program", [text for _, text in PYTHON], ids=[where for where, _ in PYTHON])
def test_a_python_example_runs(program: str) -> None:
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.returncode == 0, done.stderr


class Shell:
    """Runs the commands of one console block; knows the servers that it has started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.servers: list[subprocess.Popen[str]] = []
        self.ports: dict[str, str] = {}
        self.env = dict(os.environ, PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")

    def serve(self, command: str) -> None:
        """Start a server on free ports and learn which they are."""
        options = PORT_OPTION.findall(command)
        if "hypercorn" in command:
            command = command.replace("hypercorn", "hypercorn --bind 127.0.0.1:0")
        for option in options:
            command = command.replace(option, f"{option.split()[0]} 0")
        if not options and "hypercorn" not in command:
            game = command.split()[1] if " " in command else "memory"
            command = f"{command if ' ' in command else 'scramble memory'} --port 0"
            command += " --telnet-port 0" if game == "crossword" else ""
        server = subprocess.Popen(
            ["bash", "-c", f"exec {command}"],
            cwd=self.folder,
            env=self.env,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.servers.append(server)
        documented = iter([option.split()[1] for option in options] or ["8080"])
        assert server.stdout is not None
        wanted = max(1, len(options))
        for line in server.stdout:
            match = ADDRESS.search(line)
            if match:
                self.ports[next(documented)] = match[1]
                wanted -= 1
            if not wanted:
                return
        raise AssertionError(f"{command!r} printed no address and ended with {server.wait()}")

    def run(self, command: str) -> str:
        for documented, real in self.ports.items():
            command = re.sub(rf"\b{documented}\b", real, command)
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=self.env, text=True, capture_output=True, timeout=DEADLINE_S
        )
        assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def close(self) -> None:
        for server in self.servers:
            server.send_signal(signal.SIGINT)
            server.communicate(timeout=DEADLINE_S)


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    for name in ("boards", "client", "docs"):
        (tmp_path / name).symlink_to(ROOT / name)
    shell = Shell(tmp_path)
    yield shell
    shell.close()


def dialogue(text: str) -> Iterator[tuple[str, str]]:
    """(command, what it prints) of a console block."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, printed = part.replace("\\\n", " ").partition("\n")
        yield " ".join(command.split()), printed


@pytest.mark.parametrize("block", [text for _, text in CONSOLE], ids=[where for where, _ in CONSOLE])
def test_a_console_example_does_what_it_shows(block: str, shell: Shell) -> None:
    for command, printed in dialogue(block):
        if SERVES.match(command):
            shell.serve(command)
            continue
        output = shell.run(command)
        if printed.strip():
            pattern = ".*".join(re.escape(part) for part in printed.strip().split("..."))
            assert re.fullmatch(pattern, output.strip(), re.DOTALL), f"$ {command} printed\n{output}"


def test_the_readme_has_examples_of_both_kinds() -> None:
    assert any(where.startswith("README.md") for where, _ in PYTHON)
    assert any(where.startswith("README.md") for where, _ in CONSOLE)


@pytest.mark.parametrize("document", DOCUMENTS, ids=[str(d.relative_to(ROOT)) for d in DOCUMENTS])
def test_every_relative_link_leads_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", document.read_text()):
        if "://" not in target:
            assert (document.parent / target).exists(), target
