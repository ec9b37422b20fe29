"""The four ways in which a call does not run."""

from __future__ import annotations


class CountersignError(Exception):
    """The call did not run."""


class Rejected(CountersignError):
    """The person said no. `reason` has their own words, if any.

    The words are untrusted: escape them on a page, and do not let them instruct a model.
    """

    def __init__(self, reason: str | None = None) -> None:
        # repr escapes what is invisible.
        super().__init__("the person said no" + (f"; in their own words: {reason!r}" if reason else ""))
        self.reason = reason


class NobodyAnswered(CountersignError):
    """The request ended without an answer."""

    def __init__(self) -> None:
        super().__init__("nobody answered in time; ask again if it still matters")


class CannotAsk(CountersignError):
    """The request cannot be made or followed. The text says what to change, and `code` is the server's, if any."""

    def __init__(self, text: str, code: str | None = None) -> None:
        super().__init__(text)
        self.code = code


class Changed(CountersignError):
    """An approval arrived that is not for this exact call. It is not used."""
