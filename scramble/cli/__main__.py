"""Entry point: `python -m scramble.cli` is the command `scramble`."""

from scramble.cli.main import main

main()
