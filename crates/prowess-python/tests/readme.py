"""Runs the lines of the README as they stand there, against a host that answers from a script. Needs the package alone."""

from __future__ import annotations

import itertools
import os
import re
import tempfile
from pathlib import Path
from types import CodeType
from typing import Any

README = Path(__file__).parents[1] / "README.md"
SKILL = "---\nname: pdf\ndescription: Fills in forms.\n---\nFill in the form.\n"


def lines(file: Path) -> CodeType:
    """The Python in a file, which has one block of it."""
    (code,) = re.findall(r"```python\n(.*?)```", file.read_text(encoding="utf-8"), re.DOTALL)
    return compile(code, str(file), "exec")


def lay(project: Path) -> None:
    """Lays a project with one skill."""
    directory = project / ".agents/skills/pdf"
    directory.mkdir(parents=True)
    (directory / "SKILL.md").write_text(SKILL, encoding="utf-8")


def run(project: Path) -> None:
    """Lays a project, works in it, and runs the lines."""
    lay(project)
    os.chdir(project)
    asked: list[str] = []

    def calls(*names: str) -> dict[str, Any]:
        functions = [{"name": name, "arguments": '{"name": "pdf"}'} for name in names]
        calls = [{"id": f"call-{next(number)}", "type": "function", "function": function} for function in functions]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    def said(text: str, **more: Any) -> dict[str, Any]:
        return {"role": "assistant", "content": text, **more}

    number, talk = itertools.count(), "word " * 10_000
    replies = [calls("activate_skill", "send_mail"), said(talk), calls("activate_skill")]
    # What an SDK's object dumps, and what some servers send.
    replies += [said("Done.", tool_calls=None), said("Yes.", tool_calls=[])]

    def ask_model(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
        assert [tool["function"]["name"] for tool in tools] == ["activate_skill", "read_skill_resource"]
        asked.append(str(messages))
        return replies.pop(0)

    host: dict[str, Any] = {
        "ask_model": ask_model,
        "my_tools": lambda call: "sent",
        "summarise": lambda leaving, hint: f"{len(leaving)} messages. {hint}",
    }
    exec(lines(README), host)
    assert (host["turn"]("Fill in form.pdf."), host["turn"]("And form-2.pdf.")) == (talk, "Done.")
    host["compact"]()
    assert host["turn"]("Is all filled in?") == "Yes."
    # The body stands there once, whatever is asked for again and whatever leaves.
    assert [text.count("Fill in the form.") for text in asked] == [0, 1, 1, 1, 1]
    assert "'content': 'sent'" in asked[1] and "already, unchanged" in asked[3]
    assert talk in asked[3] and talk not in asked[4] and "5 messages." in asked[4]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        here = os.getcwd()
        run(Path(directory) / "project")
        os.chdir(here)
    print("the lines of the README run")
