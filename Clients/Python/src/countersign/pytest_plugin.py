"""The fixture `countersign`: a fake client that every decorator of the test uses.

A test sets the answers and reads the requests: `countersign.answer("reject")`, `countersign.asked`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from . import calls
from .client import Countersign
from .fake import FakeCountersign


@pytest.fixture
def countersign() -> Iterator[FakeCountersign]:
    before = calls._default
    client = Countersign.fake()
    calls.set_default_client(client)
    try:
        yield client
    finally:
        calls.set_default_client(before)
