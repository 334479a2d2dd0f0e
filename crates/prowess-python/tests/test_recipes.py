"""The recipes, run as they are, with the providers' own SDKs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from conftest import WORKSPACE, Tree
from scripted import Provider, provider

BODY = "Fill in the form, field by field."
TALK = "What was said of the form. " * 2_000
FULL = 120_000


def openai_says(text: str, tokens: int = 500) -> dict[str, Any]:
    return openai_reply({"role": "assistant", "content": text, "refusal": None}, tokens)


def openai_calls(identifier: str, name: str = "activate_skill") -> dict[str, Any]:
    function = {"name": name, "arguments": '{"name": "pdf"}'}
    calls = [{"id": identifier, "type": "function", "function": function}]
    return openai_reply({"role": "assistant", "content": None, "refusal": None, "tool_calls": calls}, 500)


def openai_reply(message: dict[str, Any], tokens: int) -> dict[str, Any]:
    usage = {"prompt_tokens": tokens - 100, "completion_tokens": 100, "total_tokens": tokens}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    shape = {"id": "reply", "object": "chat.completion", "created": 1, "model": "some-model"}
    return {**shape, "choices": [choice], "usage": usage}


def anthropic_says(text: str, tokens: int = 500) -> dict[str, Any]:
    return anthropic_reply([{"type": "text", "text": text}], tokens)


def anthropic_calls(identifier: str, name: str = "activate_skill") -> dict[str, Any]:
    return anthropic_reply([{"type": "tool_use", "id": identifier, "name": name, "input": {"name": "pdf"}}], 500)


def anthropic_reply(content: list[dict[str, Any]], tokens: int) -> dict[str, Any]:
    usage = {"input_tokens": tokens - 100, "output_tokens": 100}
    shape = {"id": "reply", "type": "message", "role": "assistant", "model": "some-model", "stop_reason": "end_turn"}
    return {**shape, "content": content, "usage": usage}


def run(recipe: str, script: Provider, tree: Tree) -> subprocess.CompletedProcess[str]:
    variables = {
        **os.environ,
        "HOME": str(tree.home),
        "OPENAI_BASE_URL": f"{script.url}/v1",
        "OPENAI_API_KEY": "none",
        "ANTHROPIC_BASE_URL": script.url,
        "ANTHROPIC_API_KEY": "none",
    }
    prompts = ["Fill in form.pdf.", "And form-2.pdf.", "/pdf Is all filled in?"]
    command = [sys.executable, str(WORKSPACE / "examples/python" / recipe), str(tree.project), *prompts]
    return subprocess.run(command, capture_output=True, text=True, env=variables, timeout=120)


@pytest.mark.parametrize(
    ("recipe", "says", "calls"),
    [("openai_sdk.py", openai_says, openai_calls), ("anthropic_sdk.py", anthropic_says, anthropic_calls)],
)
def test_a_recipe_runs_as_it_is(
    tree: Tree,
    recipe: str,
    says: Callable[..., dict[str, Any]],
    calls: Callable[..., dict[str, Any]],
) -> None:
    tree.skill("pdf", body=BODY)
    replies = [
        calls("call-1"),
        says(f"The first is filled in. {TALK}"),
        calls("call-2"),
        calls("call-3", "send_mail"),
        says("The second is filled in.", FULL),
        says("Both forms were filled in."),
        says("All is filled in."),
    ]
    with provider(replies) as script:
        done = run(recipe, script, tree)
    assert (done.returncode, script.replies) == (0, []), done.stderr
    assert done.stdout.splitlines()[-1] == "All is filled in."
    first, with_body, _, with_note, with_unknown, summary, last = (json.dumps(sent) for sent in script.requests)
    # The catalog and the tools, in every turn.
    for sent in (first, with_body, last):
        assert "<name>pdf</name>" in sent and '"activate_skill"' in sent
    assert BODY not in first
    # The body once; the second call gets a line, the unknown tool its own answer.
    assert [sent.count(BODY) for sent in (with_body, with_note, with_unknown)] == [1, 1, 1]
    assert "already, unchanged" in with_note and "there is no tool send_mail" in with_unknown
    # The compaction puts it back, once: what the user asks for by name then is there already.
    assert "Sum up this conversation." in summary and "<name>pdf</name>" not in summary
    assert last.count(BODY) == 1 and last.count("already, unchanged") == with_note.count("already, unchanged") + 1
    assert "Both forms were filled in." in last and TALK not in last
    assert "call-1: new" in done.stderr and "call-2: already-resident" in done.stderr


@pytest.mark.parametrize("recipe", ["openai_sdk.py", "anthropic_sdk.py"])
def test_a_recipe_is_short(recipe: str) -> None:
    assert len((WORKSPACE / "examples/python" / recipe).read_text().splitlines()) <= 80
