"""Reports of a run: the summary line, JUnit's XML and JSON. `page.py` makes the page."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree

from scramble.conform.cases import Outcome, Verdict

NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Checked:
    """A run: the server, the options that repeat it, and its verdicts."""

    game: str
    edition: str
    """The edition of the handout; empty if there is one edition only."""

    server: str
    seed: int
    verdicts: Sequence[Verdict]

    def count(self, outcome: Outcome) -> int:
        """Return the number of cases with an outcome."""
        return Counter(verdict.outcome for verdict in self.verdicts)[outcome]

    def summary(self) -> str:
        """Return the last line of the command."""
        words = {Outcome.PASS: "passed", Outcome.FAIL: "failed", Outcome.LOOSE: "loose", Outcome.SKIP: "skipped"}
        return ", ".join(f"{self.count(outcome)} {word}" for outcome, word in words.items())


def as_json(checked: Checked) -> str:
    """Return the run as JSON, with one object for each case."""
    return json.dumps(
        {
            "game": checked.game,
            "edition": checked.edition,
            "server": checked.server,
            "seed": checked.seed,
            "passed": checked.count(Outcome.PASS),
            "failed": checked.count(Outcome.FAIL),
            "loose": checked.count(Outcome.LOOSE),
            "skipped": checked.count(Outcome.SKIP),
            "cases": [
                {
                    "name": verdict.name,
                    "rule": verdict.rule,
                    "level": verdict.level,
                    "outcome": verdict.outcome.value.lower(),
                    "says": verdict.says,
                    "reason": verdict.reason,
                    "seconds": round(verdict.took_s, 3),
                    "exchanges": [
                        {
                            "client": exchange.client,
                            "sent": exchange.sent,
                            "again": exchange.again,
                            "began_s": round(exchange.began_s, 4),
                            "came": exchange.came,
                            "ended_s": None if exchange.ended_s is None else round(exchange.ended_s, 4),
                        }
                        for exchange in verdict.exchanges
                    ],
                    "output": verdict.output,
                }
                for verdict in checked.verdicts
            ],
        },
        ensure_ascii=False,
        indent=2,
    )


def as_junit(checked: Checked) -> str:
    """Return the run as JUnit's XML: a LOOSE case has passed, with its reason in `system-out`."""
    name = f"scramble conform {checked.game}" + (f" {checked.edition}" if checked.edition else "")
    attributes = {
        "tests": str(len(checked.verdicts)),
        "failures": str(checked.count(Outcome.FAIL)),
        "errors": "0",
        "skipped": str(checked.count(Outcome.SKIP)),
        "time": f"{sum(verdict.took_s for verdict in checked.verdicts):.3f}",
    }
    suites = ElementTree.Element("testsuites", attributes)
    suite = ElementTree.SubElement(suites, "testsuite", {"name": name, **attributes})
    for verdict in checked.verdicts:
        place = {"classname": f"{checked.game}.{verdict.rule}", "name": verdict.name, "time": f"{verdict.took_s:.3f}"}
        case = ElementTree.SubElement(suite, "testcase", place)
        reason = NOT_XML.sub("\ufffd", verdict.reason)
        if verdict.outcome is Outcome.FAIL:
            failure = ElementTree.SubElement(case, "failure", {"message": reason})
            lines = [f"{verdict.rule}: {verdict.says}", *(exchange.again for exchange in verdict.exchanges)]
            failure.text = NOT_XML.sub("\ufffd", "\n".join(lines))
            if verdict.output:
                ElementTree.SubElement(case, "system-err").text = NOT_XML.sub("\ufffd", verdict.output)
        elif verdict.outcome is Outcome.SKIP:
            ElementTree.SubElement(case, "skipped", {"message": reason})
        elif verdict.outcome is Outcome.LOOSE:
            ElementTree.SubElement(case, "system-out").text = reason
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"
