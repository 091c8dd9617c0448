"""Every example in the documents runs: README.md, CONTRIBUTING.md and the others at the top, and docs/.

Strategy: the documents are split into fenced blocks.
- a `python` block is a complete program: it runs from the top of the checkout, and must not fail;
- a `console` block is a dialogue with a shell, see `shell`; a block that serves no game runs in another terminal,
  beside the last server of the document.
- other blocks (`text`, `json`) are not examples to run;
- test_wheel.py runs the tutorials, with an installed package.

`make docs` builds the site, and checks its links and anchors. The tests of links here take less than a second. They
check that relative links lead to files, that these files are in the site, and that its navigation has every page.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name
from urllib.request import Request, urlopen

import pytest

from tests.support import HANG_S, PROGRAM_S
from tests.support.process import ROOT, ServerProcess
from tests.system.cli.shell import FENCE, Shell, serving

PAGES = sorted((ROOT / "docs").rglob("*.md"))
TUTORIALS = ROOT / "docs" / "tutorial"
DOCUMENTS = [*sorted(ROOT.glob("*.md")), ROOT / "client" / "README.md", *PAGES]


def blocks(language: str) -> list[tuple[str, str]]:
    """The pairs (where, text) of every block in that language, outside the tutorials.

    A block for a second terminal begins with the commands that start the servers of the first terminal.
    """
    found = []
    for document in (document for document in DOCUMENTS if TUTORIALS not in document.parents):
        text, served = document.read_text(), ""
        for match in FENCE.finditer(text):
            if match[1] == language:
                line = text.count("\n", 0, match.start()) + 1
                block = match[2]
                if language == "console":
                    served = serving(block) or served
                    block = block if serving(block) or "localhost" not in block else served + block
                found.append((f"{document.relative_to(ROOT)}:{line}", block))
    return found


PYTHON = blocks("python")
CONSOLE = blocks("console")


@pytest.mark.parametrize("program", [text for _, text in PYTHON], ids=[where for where, _ in PYTHON])
def test_a_python_example_runs(program: str) -> None:
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=PROGRAM_S)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    for name in ("boards", "client", "docs"):
        (tmp_path / name).symlink_to(ROOT / name)
    programs = Path(sys.executable).parent
    shell = Shell(tmp_path, os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}, forks=True)
    yield shell
    shell.close()


@pytest.mark.parametrize("block", [text for _, text in CONSOLE], ids=[where for where, _ in CONSOLE])
def test_a_console_example_does_what_it_shows(block: str, shell: Shell) -> None:
    shell.play(block)


INTERRUPTED = """
import signal, sys, trio
sys.path.insert(0, sys.argv[1])
import auction

make_app = auction.make_app

def make_app_with_ctrl_c(owner):
    app = make_app(owner)

    @app.before_request
    async def interrupt():
        signal.raise_signal(signal.SIGINT)

    return app

auction.make_app = make_app_with_ctrl_c
trio.run(auction.main)
"""


def test_ctrl_c_within_a_request_ends_the_auction(tmp_path: Path) -> None:
    """Hypercorn takes a KeyboardInterrupt within a request for the error of the request, and goes on."""
    program = (sys.executable, "-c", INTERRUPTED, ROOT / "docs" / "examples")
    with ServerProcess(program=program, folder=tmp_path, environment=os.environ | {"PORT": "0"}) as server:
        address = server.errors.until(lambda text: re.search(r"http://[0-9.]+:[0-9]+", text))
        assert address is not None
        with urlopen(Request(f"{address[0]}/bid/ann/10", method="POST"), timeout=HANG_S) as answer:
            assert answer.read() == b"ann bids 10\n"
        assert server.wait(HANG_S) == 0


def test_the_readme_has_examples_of_both_kinds() -> None:
    assert any(where.startswith("README.md") for where, _ in PYTHON)
    assert any(where.startswith("README.md") for where, _ in CONSOLE)


def links(document: Path) -> list[str]:
    """The targets of all links to other documents and images, without anchors."""
    return re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", document.read_text())


@pytest.mark.parametrize("document", DOCUMENTS, ids=[str(d.relative_to(ROOT)) for d in DOCUMENTS])
def test_every_relative_link_leads_somewhere(document: Path) -> None:
    for target in links(document):
        assert "://" in target or (document.parent / target).exists(), target


@pytest.mark.parametrize("document", DOCUMENTS, ids=[str(d.relative_to(ROOT)) for d in DOCUMENTS])
def test_no_link_leaves_the_site(document: Path) -> None:
    kept = {*DOCUMENTS, *(ROOT / "docs" / "images").glob("*.png")}
    for target in links(document):
        assert "://" in target or (document.parent / target).resolve() in kept, target


@pytest.mark.parametrize("document", DOCUMENTS, ids=[str(d.relative_to(ROOT)) for d in DOCUMENTS])
def test_every_path_that_is_named_exists(document: Path) -> None:
    text = document.read_text()
    for path in re.findall(r"`((?:scramble|tests|client|docs|boards)/[\w./-]*|\w+/[\w/]+\.(?:py|js|css))`", text):
        roots = [
            root for root in (ROOT, ROOT / "scramble", ROOT / "client") if (root / path.partition("/")[0]).is_dir()
        ]
        assert not roots or any((root / path).exists() for root in roots), path


def test_the_navigation_of_the_site_has_every_page() -> None:
    with (ROOT / "zensical.toml").open("rb") as file:
        navigation = str(tomllib.load(file)["project"]["nav"])
    assert sorted(re.findall(r"'([^']+\.md)'", navigation)) == sorted(
        document.relative_to(ROOT).as_posix() for document in DOCUMENTS
    )


def test_every_new_name_on_the_page_of_moved_names_exists() -> None:
    for row in re.findall(
        r"^\| `.*\|$", (ROOT / "docs" / "reference" / "python" / "moved.md").read_text(), re.MULTILINE
    ):
        column = row.strip(" |").split(" | ")[-1].partition(";")[0]
        if column.startswith("`scramble."):
            first, *others = re.findall(r"`([\w.]+)`", column)
            module = re.sub(r"(\.[A-Z]\w*)?(\.\w+)?$", "", first)  # the other names are in the module of the first name
            for name in (first, *(other if other.startswith("scramble.") else f"{module}.{other}" for other in others)):
                of_class = re.sub(r"(\.[A-Z]\w*)\.[a-z]\w*$", r"\1", name)  # attributes that only instances have
                assert resolve_name(of_class) is not None, name
