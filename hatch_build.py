"""A hook of the build: adds the commit, for `scramble --version`, and the bundles of the pages.

The commit is the variable SCRAMBLE_COMMIT, for builds without the repository, such as of a container; or git's; or, in
a wheel made from a source distribution, what that has. Without any of these there is no file.

The bundles are the ones that `make` or `python -m scramble.bundling` has made in build/. Without them, and without Deno
to make them, the wheel has no bundles: its pages work, but load more slowly.
"""

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMMAND = ("git", "describe", "--always", "--exclude=*", "--abbrev=7", "--dirty")


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds the file `scramble/_commit`, and the folder `scramble/_bundles`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add both, but not to an editable installation, whose files change."""
        if version == "editable":
            return
        self._add_bundles(build_data)
        if not (Path(self.root) / "scramble" / "_commit").exists():
            self._add_commit(build_data)

    def _add_bundles(self, build_data: dict[str, Any]) -> None:
        """Add the bundles in build/, and make them first if they are missing or of other files."""
        sys.path.insert(0, self.root)
        from scramble.bundling import are_current, main
        from scramble.resources import BUNDLES

        main()
        if are_current():
            place = "scramble/_bundles" if self.target_name == "wheel" else "build/bundles"
            build_data["force_include"][str(BUNDLES)] = place

    def _add_commit(self, build_data: dict[str, Any]) -> None:
        commit = os.environ.get("SCRAMBLE_COMMIT", "")
        if not commit and (Path(self.root) / ".git").exists():
            with suppress(OSError, subprocess.SubprocessError):
                done = subprocess.run(COMMAND, cwd=self.root, capture_output=True, text=True, timeout=10, check=True)
                commit = done.stdout.strip()
        if commit:
            file = Path(tempfile.mkdtemp()) / "_commit"
            file.write_text(f"{commit}\n")
            build_data["force_include"][str(file)] = "scramble/_commit"
