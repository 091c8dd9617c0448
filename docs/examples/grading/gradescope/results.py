"""Gradescope's results.json from the report of `scramble conform`: `python results.py FOLDER`.

The folder has `conform.json`, if the server could be checked, and `printed.txt`. Each case that was not skipped is one
point. What the handout leaves open counts as passed.
"""

import json
import sys
from pathlib import Path


def result_of(case: dict) -> dict:
    """Return Gradescope's record of a case."""
    passed = case["outcome"] in ("pass", "loose")
    again = "\n".join(exchange["again"] for exchange in case["exchanges"])
    return {
        "name": case["name"],
        "score": int(passed),
        "max_score": 1,
        "status": "passed" if passed else "failed",
        "output": "\n\n".join(text for text in (case["reason"], f"The handout: {case['says']}", again) if text),
    }


def main() -> None:
    """Print the results."""
    folder = Path(sys.argv[1])
    printed = (folder / "printed.txt").read_text(errors="replace")
    report = folder / "conform.json"
    cases = json.loads(report.read_text())["cases"] if report.exists() else []
    tests = [result_of(case) for case in cases if case["outcome"] != "skip"]
    print(json.dumps({"output": printed, "tests": tests} if tests else {"output": printed, "score": 0}, indent=2))


if __name__ == "__main__":
    main()
