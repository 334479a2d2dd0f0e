"""The lines of the README, run as they stand there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from conftest import Tree

README = Path(__file__).parents[1] / "README.md"


def test_the_lines_for_a_host_run(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.skill("pdf", body="Fill in the form.")
    monkeypatch.chdir(tree.project)
    monkeypatch.setenv("HOME", str(tree.home))
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    asked: list[str] = []

    def calls(*names: str) -> dict[str, Any]:
        functions = [{"name": name, "arguments": '{"name": "pdf"}'} for name in names]
        calls = [
            {"id": f"{len(asked)}-{index}", "type": "function", "function": function}
            for index, function in enumerate(functions)
        ]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    def said(text: str) -> dict[str, Any]:
        return {"role": "assistant", "content": text}

    talk = "word " * 10_000
    replies = [calls("activate_skill", "send_mail"), said(talk), calls("activate_skill"), said("Done."), said("Yes.")]

    def ask_model(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
        assert [tool["function"]["name"] for tool in tools] == ["activate_skill", "read_skill_resource"]
        asked.append(str(messages))
        return replies.pop(0)

    host: dict[str, Any] = {
        "ask_model": ask_model,
        "my_tools": lambda call: "sent",
        "summarise": lambda leaving, hint: f"{len(leaving)} messages. {hint}",
    }
    exec(compile(code, str(README), "exec"), host)
    assert (host["turn"]("Fill in form.pdf."), host["turn"]("And form-2.pdf.")) == (talk, "Done.")
    host["compact"]()
    assert host["turn"]("Is all filled in?") == "Yes."
    assert [text.count("Fill in the form.") for text in asked] == [0, 1, 1, 1, 1]
    assert "'content': 'sent'" in asked[1] and "already, unchanged" in asked[3]
    assert talk in asked[3] and talk not in asked[4] and "5 messages." in asked[4]
