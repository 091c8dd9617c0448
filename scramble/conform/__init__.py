"""Checks of any server of the handouts, from outside: `scramble conform`.

A case is a claim of the handout about a server. The runner plays each case against the server and gives a verdict:
PASS, FAIL, LOOSE (the handout leaves it open, and this server differs from ours) or SKIP.

    cases.py       cases, catalogues, verdicts, and the loop that runs cases
    transcript.py  everything that the clients sent and got, for reports
    bench.py       servers that several cases share
    process.py     servers that the command starts, and their end
    http.py        one HTTP request over one connection
    reports.py     verdicts as lines, JUnit, JSON and a page
    memory/, minesweeper/, crossword/   each handout's rules, client and cases

The handout is the law, not our server: if the handout allows several answers, all of them pass. This package imports
neither a server nor the games' own rules. `rules.py` of each game is the specification, written from the handout; the
tests of this project judge the real games by the same code.
"""
