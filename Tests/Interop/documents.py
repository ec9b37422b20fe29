"""Snippets of the documents, and the terminals in which a reader types them."""

import contextlib
import os
import pathlib
import queue
import re
import secrets
import signal
import subprocess
import threading
import time
from typing import NamedTuple

from programs import DEADLINE

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(\S*)(?: ([^\n]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Snippet(NamedTuple):
    """A fenced block with the words behind its fence."""
    language: str
    words: list
    text: str


def document(name):
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def snippets(name):
    return [
        Snippet(block[1], (block[2] or "").split(), block[3]) for block in FENCE.finditer(document(name))]


def rows(name, heading):
    """The cells of the first table below a heading."""
    text = document(name).split(f"# {heading}\n", 1)[1]
    lines = re.search(r"^\|.*\|\n\|[-|]+\|\n((?:\|.*\|\n)+)", text, re.MULTILINE)[1].splitlines()
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


class Shell:
    """A shell that keeps its variables from one snippet to the next, and ends at the first command that fails."""

    def __init__(self, folder, environment):
        self._process = subprocess.Popen(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail"], cwd=folder, env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self._lines = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        with self._process.stdout as output:
            for line in output:
                self._lines.put(line)
        self._lines.put(None)

    def type(self, commands):
        self._mark = secrets.token_hex(16)
        self._process.stdin.write(f"{{\n{commands}\n}} </dev/null\necho\necho {self._mark}\n")
        self._process.stdin.flush()

    def output(self):
        """The output of what was typed last, once it has ended."""
        seen = []
        deadline = time.monotonic() + 2 * DEADLINE
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"the commands did not end; they printed {''.join(seen)}") from None
            if line is None:
                raise AssertionError(f"a command failed; it printed {''.join(seen)}")
            if line.strip() == self._mark:
                return "".join(seen)
            seen.append(line)

    def close(self):
        """Ends the shell, and the programs in its background."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)
        self._process.wait(DEADLINE)
        self._process.stdin.close()


class PhoneTerminal:
    """A terminal in which somebody reads and types: the person with the phone."""

    PROMPT = "ready> "
    ENDS = r"(allowed|rejected|withdrawn|expired) cns_"

    def __init__(self, folder, environment):
        # script makes the terminal.
        self._process = subprocess.Popen(
            ["script", "-qfc", f"PS1='{self.PROMPT}' exec bash --noprofile --norc --noediting -i", "/dev/null"],
            cwd=folder, env={**environment, "TERM": "dumb", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.text, self._read_until = "", 0
        self._arrived = threading.Condition()
        self._shows_request = self._watches = False
        threading.Thread(target=self._read, daemon=True).start()
        self.expect(self.PROMPT)

    def _read(self):
        with self._process.stdout as output:
            while data := output.read1(65536):
                with self._arrived:
                    self.text += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", data.decode(errors="replace"))
                    self._arrived.notify()

    def expect(self, pattern):
        """Waits for a text behind the last one that was expected."""
        def found():
            return re.compile(pattern).search(self.text, self._read_until)

        with self._arrived:
            if not self._arrived.wait_for(found, DEADLINE):
                raise AssertionError(f"the terminal does not show {pattern!r}; it shows\n{self.text}")
            match = found()
            self._read_until = match.end()
        return match

    def type(self, text):
        self._process.stdin.write(text.encode())
        self._process.stdin.flush()

    def run(self, commands):
        """Types commands, the last of which is `guardian watch`, and stops an earlier one."""
        if self._watches:
            self.type("\x03")
            self.expect(self.PROMPT)
        *before, last = commands.splitlines()
        assert last == "guardian watch", last
        for line in before:
            self.type(f"{line}\n")
            self.expect(self.PROMPT)
        self.type("guardian watch\n")
        self.expect("Listening at ")
        self._shows_request, self._watches = False, True

    def asks(self):
        """Waits for a request, unless one is shown already."""
        if not self._shows_request:
            self.expect("asks for your approval")
            self.expect(r"Allow[^\n]*\?")
        self._shows_request = True

    def ends(self, outcome, typing=""):
        """Waits for the end of the request, after an answer was typed."""
        self.asks()
        self.type(typing)
        shown = self.expect(self.ENDS)[1]
        assert shown in outcome, shown
        self._shows_request = False

    def close(self):
        self._process.stdin.close()
        self._process.terminate()
        self._process.wait(DEADLINE)


def squeezed(text):
    """The text without white space."""
    return "".join(text.split())


def pattern(promised):
    """Matches a squeezed text. An ellipsis of the document stands for any text."""
    return ".*".join(re.escape(squeezed(part)) for part in promised.split("…"))


def matches(output, promised):
    return re.fullmatch(pattern(promised), squeezed(output)) is not None


def environment(folder, programs, **more):
    """Variables of a reader's terminals: what the documents set themselves is not set before."""
    (folder / ".build").mkdir(exist_ok=True)
    (folder / ".build" / "release").symlink_to(programs)
    unset = ("COUNTERSIGN_", "GUARDIAN_", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "PYTHONPATH")
    return {**{name: value for name, value in os.environ.items() if not name.startswith(unset)}, **more}
