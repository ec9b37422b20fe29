"""The shell asks before it changes anything."""

import os

import pytest
from countersign import Rejected

from shell import shell


def test_reading_needs_no_approval(countersign):
    assert shell("echo hello", "to say hello") == "hello"
    assert countersign.asked == []


def test_a_rejected_command_does_not_run(countersign, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    countersign.answer("reject")
    with pytest.raises(Rejected):
        shell("mkdir made", "a new folder")
    assert countersign.asked == [{
        "type": "command", "tool": "shell", "command": "mkdir made", "folder": str(tmp_path), "says": "a new folder"}]
    assert os.listdir(tmp_path) == []
