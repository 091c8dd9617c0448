"""A hook of the build: writes the commit into the wheel and the source distribution, for `scramble --version`.

The commit is the variable SCRAMBLE_COMMIT, for builds without the repository, such as of a container; or git's; or, in
a wheel made from a source distribution, what that has. Without any of these there is no file.
"""

import os
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMMAND = ("git", "describe", "--always", "--exclude=*", "--abbrev=7", "--dirty")


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds the file `scramble/_commit`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file, but not to an editable installation, whose commit changes."""
        if version == "editable" or (Path(self.root) / "scramble" / "_commit").exists():
            return
        commit = os.environ.get("SCRAMBLE_COMMIT", "")
        if not commit and (Path(self.root) / ".git").exists():
            with suppress(OSError, subprocess.SubprocessError):
                done = subprocess.run(COMMAND, cwd=self.root, capture_output=True, text=True, timeout=10, check=True)
                commit = done.stdout.strip()
        if commit:
            file = Path(tempfile.mkdtemp()) / "_commit"
            file.write_text(f"{commit}\n")
            build_data["force_include"][str(file)] = "scramble/_commit"
