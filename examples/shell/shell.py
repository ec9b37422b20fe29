"""A tool that runs commands for an agent: what only reads at once, and everything else after an approval."""

import os
import shlex
import subprocess
import sys

from countersign import approve, calling

READING = {"echo", "ls", "pwd"}


def run(command: str, folder: str) -> str:
    # No shell: what was shown are the words that run.
    done = subprocess.run(shlex.split(command), cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout.strip() or done.stderr.strip() or "done"


approved_run = approve("command", name="shell")(run)


def shell(command: str, reason: str) -> str:
    """The tool. `reason` is why the agent wants it."""
    words = shlex.split(command)
    if words and words[0] in READING:
        return run(command, os.getcwd())
    with calling(says=reason):
        return approved_run(command, os.getcwd())


if __name__ == "__main__":
    for command in sys.argv[1:]:
        print(shell(command, "The user wants to see an example"))
