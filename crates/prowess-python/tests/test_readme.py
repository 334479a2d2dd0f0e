"""The lines of both READMEs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import readme
from conftest import WORKSPACE


def test_the_lines_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    readme.run(tmp_path / "project")


def test_the_lines_of_the_project_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    readme.lay(tmp_path)
    call = {"id": "call-1", "name": "activate_skill", "input": {"name": "pdf"}}
    host: dict[str, Any] = {"messages": [{"role": "user", "content": "Fill in form.pdf."}], "call": call}
    exec(readme.lines(WORKSPACE / "README.md"), host)
    assert "<name>pdf</name>" in host["system"] and host["tools"] and host["delivery"].status == "new"
    # The answer to the call was never placed: the compaction puts the body there.
    assert [message["content"].count("Fill in the form.") for message in host["messages"]] == [1, 0]
