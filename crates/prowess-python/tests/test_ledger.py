"""What a ledger keeps, over messages as the SDKs have them."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Tree

from prowess import Ledger, Library, UsageError, placement

BODY = "Fill in the form, field by field."
FILLER = "word " * 200


def openai(call: str, text: str) -> list[dict[str, Any]]:
    function = {"name": "activate_skill", "arguments": '{"name": "pdf"}'}
    return [
        {"role": "assistant", "tool_calls": [{"id": call, "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": call, "content": text},
    ]


def anthropic(call: str, text: str) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": call, "name": "activate_skill", "input": {"name": "pdf"}}
    result = {"type": "tool_result", "tool_use_id": call, "content": text}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


def session(tree: Tree) -> tuple[Library, Ledger, str]:
    tree.skill("pdf", body=BODY)
    library, ledger = tree.load(), Ledger()
    text = library.activate("pdf", ledger=ledger, placement="call-1").text
    return library, ledger, text


def status(library: Library, ledger: Ledger, call: str = "call-9") -> str:
    return library.activate("pdf", ledger=ledger, origin="model", placement=call).status


@pytest.mark.parametrize("exchange", [openai, anthropic])
def test_a_body_is_there_as_long_as_the_conversation_holds_it(tree: Tree, exchange: Any) -> None:
    library, ledger, text = session(tree)
    assert ledger.skills[0].state == "pending"
    messages = [{"role": "user", "content": "Hi"}, *exchange("call-1", text)]
    ledger.reconcile(messages)
    assert ledger.skills[0].state == "resident" and ledger.protected == ("call-1",)
    assert status(library, ledger) == "already-resident"
    ledger.reconcile({"messages": messages, "model": "some-model"})
    assert status(library, ledger) == "already-resident"
    ledger.reconcile(messages[:1])
    assert not ledger.protected and status(library, ledger) == "new"


def test_placements_alone_or_with_their_texts(tree: Tree) -> None:
    library, ledger, text = session(tree)
    ledger.reconcile(["call-1"])
    assert status(library, ledger) == "already-resident"
    ledger.reconcile(placement for placement in [("call-1", text)])
    assert status(library, ledger) == "already-resident"
    ledger.reconcile([["call-1", text]])  # as JSON has it
    assert status(library, ledger) == "already-resident"
    ledger.reconcile([("call-1", text[:100])])
    assert status(library, ledger) == "new"


@pytest.mark.parametrize("exchange", [openai, anthropic])
@pytest.mark.parametrize("as_body", [False, True])
def test_a_compaction_keeps_the_body(tree: Tree, exchange: Any, as_body: bool) -> None:
    library, ledger, text = session(tree)
    messages = [
        {"role": "user", "content": "Fill in form.pdf."},
        *exchange("call-1", text),
        {"role": "assistant", "content": FILLER},
        {"role": "user", "content": "And now?"},
    ]
    ledger.reconcile(messages)
    given: Any = {"model": "some-model", "messages": messages} if as_body else messages
    plan = ledger.plan_compaction(given, budget=25_000, keep=10)
    assert plan.leaving == messages[:4] and plan.reattached == ("project:pdf",) and "project:pdf" not in plan.stubs
    assert "pdf" in plan.hint and plan.tokens > 0 and plan.to_dict()["hint"] == plan.hint
    assert ledger.protected == ("call-1",)
    shorter = plan.apply(summary="The form was asked for.")
    messages = shorter["messages"] if as_body else shorter
    assert as_body is False or shorter["model"] == "some-model"
    ledger.reconcile(messages)
    everything = str(messages)
    assert BODY in everything and "The form was asked for." in everything and FILLER not in everything
    assert status(library, ledger) == "already-resident" and len(ledger.protected) == 1
    with pytest.raises(UsageError, match="already"):
        plan.apply(summary="again")


def test_without_room_a_line_is_left(tree: Tree) -> None:
    library, ledger, text = session(tree)
    messages = [{"role": "user", "content": "Hi"}, *openai("call-1", text), {"role": "user", "content": "And now?"}]
    ledger.reconcile(messages)
    plan = ledger.plan_compaction(messages, budget=0, cut=3)
    assert plan.stubs == ("project:pdf",) and plan.reattached == ()
    messages = plan.apply()
    ledger.reconcile(messages)
    assert BODY not in str(messages) and "pdf" in str(messages)
    assert status(library, ledger) == "new"


def test_finished_off_and_pinned(tree: Tree) -> None:
    library, ledger, text = session(tree)
    messages = [*openai("call-1", text), {"role": "user", "content": "And now?"}]
    ledger.reconcile(messages)
    ledger.pin("project:pdf")
    assert ledger.skills[0].pinned
    ledger.unpin("project:pdf")
    assert ledger.finish("project:pdf") and not ledger.finish("project:other")
    assert ledger.plan_compaction(messages, budget=25_000, cut=2).stubs == ("project:pdf",)
    note = ledger.deactivate("project:pdf")
    assert note is not None and "turned off" in note and ledger.deactivate("project:other") is None
    refused = library.dispatch(openai("call-2", "")[0]["tool_calls"][0], ledger=ledger)
    assert refused is not None and refused.status == "denied"
    assert library.activate("pdf", ledger=ledger).status in ("new", "already-resident")


def test_forgetting_and_moving(tree: Tree) -> None:
    library, ledger, _ = session(tree)
    ledger.relocate("call-1", to="message-1")
    assert ledger.protected == ("message-1",)
    ledger.forget("message-1")
    assert not ledger.protected and status(library, ledger) == "new"


def test_the_catalog_in_a_message(tree: Tree) -> None:
    library, ledger, _ = session(tree)
    text = library.catalog().text
    ledger.place_catalog(placement(text))
    messages = [{"role": "user", "content": text}, {"role": "user", "content": "Hi"}]
    ledger.reconcile(messages)
    assert ledger.plan_compaction(messages, budget=25_000, cut=1).catalog_leaves


def test_a_snapshot_is_restored(tree: Tree) -> None:
    library, ledger, text = session(tree)
    snapshot = ledger.snapshot()
    again, report = Ledger.restore(snapshot, library)
    assert report == {"project:pdf": "same"} and again.protected == ("call-1",)
    gone, _ = Ledger.restore(snapshot, library, present=[{"role": "user", "content": "Hi"}])
    assert gone.protected == ()
    assert BODY not in ledger.snapshot(texts=False)
    held, _ = Ledger.restore(ledger.snapshot(texts=False), library, present=[("call-1", text)])
    assert held.protected == ("call-1",)
    tree.skill("pdf", body="Sign.")
    assert Ledger.restore(snapshot, tree.load())[1] == {"project:pdf": "changed"}
    for damaged in ("", "{}", snapshot[:40], snapshot.replace('"prowess_session":1', '"prowess_session":2')):
        with pytest.raises(UsageError):
            Ledger.restore(damaged, library)


def test_a_fork_inherits_what_it_is_told(tree: Tree) -> None:
    library, ledger, text = session(tree)
    ledger.reconcile([("call-1", text)])
    child, handed = ledger.fork()
    assert handed == "" and child.skills == ()
    child, handed = ledger.fork(inherit="names")
    assert "pdf" in handed and BODY not in handed
    child, handed = ledger.fork(inherit="texts", budget=25_000)
    child.reconcile([{"role": "user", "content": handed}])
    assert BODY in handed and status(library, child) == "already-resident"
    assert ledger.protected == ("call-1",)
    with pytest.raises(UsageError, match="budget"):
        ledger.fork(inherit="texts")
    assert BODY in ledger.pinned(budget=25_000)


def test_what_the_model_read_by_itself(tree: Tree) -> None:
    directory = tree.skill("pdf", body=BODY)
    (directory / "notes.txt").write_text("Notes")
    library, ledger = tree.load(), Ledger()
    file = directory / "SKILL.md"
    assert ledger.observe_read(library, file, placement="1", lines=(1, 4)) == "part-of-body"
    assert ledger.observe_read(library, file, placement="2") == "body"
    assert ledger.observe_read(library, directory / "notes.txt", placement="3") == "resource"
    assert ledger.observe_read(library, tree.path, placement="4") == "nothing"
    assert ledger.protected == ("2",) and ledger.skills[0].reads == ("notes.txt",)
    assert repr(ledger) == "Ledger(skills=['project:pdf'])"
