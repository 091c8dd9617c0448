"""Checks of check50 for a server of Memory Scramble: one for each rule of the handout.

The first check runs `scramble conform` once. The other checks read its report.
"""

import json
import os
import subprocess
from pathlib import Path

import check50

START = os.environ.get("START", "npm start {port} {board}")
LEVEL = os.environ.get("LEVEL", "all")
REPORT = Path("conform.json")


@check50.check(timeout=300)
def starts():
    """the server starts and answers"""
    command = ["scramble", "conform", "memory", "--start", START, "--level", LEVEL, "--json", str(REPORT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not REPORT.exists():
        raise check50.Failure(done.stderr.strip() or "the server could not be checked")


def keeps(*rules: str) -> None:
    """Fail with all failed cases of these rules."""
    cases = [case for case in json.loads(REPORT.read_text())["cases"] if case["rule"] in rules]
    failed = [case for case in cases if case["outcome"] == "fail"]
    for case in failed:
        for exchange in case["exchanges"]:
            check50.log(exchange["again"])
    if failed:
        raise check50.Failure("\n".join(f"{case['name']}: {case['reason']}" for case in failed))


@check50.check(starts)
def board():
    """the board has the format of the handout"""
    keeps("board")


@check50.check(starts)
def first_cards():
    """first cards: rules 1-A to 1-D"""
    keeps("1-A", "1-B", "1-C", "1-D")


@check50.check(starts)
def second_cards():
    """second cards: rules 2-A to 2-E"""
    keeps("2-A", "2-B", "2-C", "2-D", "2-E")


@check50.check(starts)
def next_play():
    """the end of a play: rules 3-A and 3-B"""
    keeps("3-A", "3-B")


@check50.check(starts)
def watching():
    """watching for changes"""
    keeps("watch")


@check50.check(starts)
def concurrent():
    """concurrent players"""
    keeps("concurrent")
