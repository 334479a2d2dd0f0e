"""What must be an exception of Python's, and nothing worse."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from conftest import Tree

from prowess import Ledger, Library, UnknownSkillError, UsageError

CALL = {"id": "call-1", "name": "activate_skill", "input": {"name": "pdf"}}
LONE = "a\ud800b"


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def test_wrong_arguments_are_exceptions(tree: Tree) -> None:
    tree.skill("pdf")
    library, ledger = tree.load(), Ledger()
    anything: Any = library
    cases: list[tuple[type[Exception], str, Callable[[], object]]] = [
        # Types.
        (TypeError, "`project`.*bytes", lambda: tree.load(project=b"/src")),
        (TypeError, "`home`", lambda: tree.load(home=3)),
        (TypeError, "`roots`", lambda: tree.load(roots="team=/srv")),
        (TypeError, "`roots`", lambda: tree.load(roots=[("team",)])),
        (TypeError, "`disable`", lambda: tree.load(disable="x-*")),
        (TypeError, "`budget`", lambda: library.catalog(budget="many")),  # type: ignore[arg-type]
        (TypeError, "`budget`", lambda: library.catalog(budget=1.5)),  # type: ignore[arg-type]
        (TypeError, "`pins`", lambda: library.catalog(pins=[None])),  # type: ignore[list-item]
        (TypeError, "None", lambda: library.activate(None)),  # type: ignore[arg-type]
        (TypeError, "bytes", lambda: library.why(b"pdf")),  # type: ignore[arg-type]
        (TypeError, "'str'.*'Ledger'", lambda: library.activate("pdf", ledger="x")),  # type: ignore[arg-type]
        (TypeError, "'Library'.*'Ledger'", lambda: library.dispatch(CALL, ledger=library)),  # type: ignore[arg-type]
        (TypeError, "'dict'.*'Library'", lambda: library.catalog_delta({})),  # type: ignore[arg-type]
        (TypeError, "'None.*'Library'", lambda: Ledger.restore(ledger.snapshot(), None)),  # type: ignore[arg-type]
        (TypeError, "'Ledger'.*'Library'", lambda: ledger.observe_read(ledger, "a", placement="1")),  # type: ignore[arg-type]
        (TypeError, "bytes", lambda: ledger.reconcile(b"call-1")),
        (TypeError, "str", lambda: ledger.reconcile("call-1")),
        (TypeError, "iterable", lambda: ledger.reconcile(None)),  # type: ignore[arg-type]
        (TypeError, "object is neither JSON", lambda: ledger.reconcile([object()])),
        (TypeError, "set", lambda: library.dispatch({"name": {"activate_skill"}})),
        (TypeError, "`budget`", lambda: ledger.plan_compaction([], budget=None)),  # type: ignore[arg-type]
        (TypeError, "", lambda: Ledger.restore(None, library)),  # type: ignore[arg-type]
        # Values.
        (UsageError, "`max_depth`", lambda: tree.load(max_depth=-1)),
        (UsageError, "`max_directories`", lambda: tree.load(max_directories=2**70)),
        (UsageError, "`max_body`", lambda: tree.load(max_body=-(10**5_000))),
        (UsageError, "`budget`", lambda: library.catalog(budget=-1)),
        (UsageError, "`floor`", lambda: library.catalog(floor=-1)),
        (UsageError, "`budget`", lambda: library.why("pdf", budget=-1)),
        (UsageError, "`offset`", lambda: library.resource("pdf", "a", offset=-1)),
        (UsageError, "`length`", lambda: library.resource("pdf", "a", length=2**70)),
        (UsageError, "`budget`", lambda: ledger.plan_compaction([], budget=-1)),
        (UsageError, "`keep`", lambda: ledger.plan_compaction([], budget=1, keep=-1)),
        (UsageError, "`cut`", lambda: ledger.plan_compaction([], budget=1, cut=-1)),
        (UsageError, "`budget`", lambda: ledger.pinned(budget=-1)),
        (UsageError, "`budget`", lambda: ledger.fork(inherit="texts", budget=-1)),
        (UsageError, "`lines`", lambda: ledger.observe_read(library, "a", placement="1", lines=(1, -1))),
        (UsageError, "empty", lambda: tree.load(project="")),
        (UsageError, "agents", lambda: tree.load(preset="other")),
        (UsageError, "Team", lambda: tree.load(roots={"Team": "/srv"})),
        (UsageError, "no pattern", lambda: tree.load(disable=["["])),
        (UsageError, "no rule", lambda: tree.load(policy=[{"is": "hidden"}])),
        (UsageError, "openai", lambda: library.tools("other")),  # type: ignore[arg-type]
        (UsageError, "nothing", lambda: ledger.fork(inherit="all")),  # type: ignore[arg-type]
        (UsageError, "name", lambda: library.dispatch({})),
        (UsageError, "name", lambda: library.dispatch(None)),
        (UsageError, "role", lambda: ledger.reconcile([("call-1", 3)])),
        (UsageError, "array `messages`", lambda: ledger.reconcile({"role": "user"})),
        (UsageError, "role", lambda: ledger.reconcile([{"role": "wizard", "content": ""}])),
        (UsageError, "shapes", lambda: ledger.reconcile([{}], format="gemini")),  # type: ignore[arg-type]
        # Text that is no Unicode, numbers and nesting that are no JSON.
        (TypeError, "`project`.*surrogates", lambda: tree.load(project=LONE)),
        (UnicodeEncodeError, "surrogates", lambda: library.activate(LONE)),
        (UnicodeEncodeError, "surrogates", lambda: library.mentions(LONE)),
        (UnicodeEncodeError, "surrogates", lambda: ledger.reconcile([{"role": "user", "content": LONE}])),
        (UnicodeEncodeError, "surrogates", lambda: library.dispatch({"name": LONE})),
        (ValueError, "", lambda: ledger.reconcile([{"role": "user", "content": float("nan")}])),
        (UsageError, "recursion limit", lambda: library.dispatch({"name": "activate_skill", "input": nested(500)})),
        (RecursionError, "", lambda: library.dispatch({"name": "activate_skill", "input": nested(200_000)})),
        (UnknownSkillError, "no skill", lambda: library.activate("pdf\0")),
        (UnknownSkillError, "no skill", lambda: library.activate("x" * 1_000_000)),
        (AttributeError, "", lambda: setattr(anything, "skills", ())),
    ]
    for kind, message, act in cases:
        with pytest.raises(kind, match=message or None):
            act()
    # Nothing of it has changed anything, or holds a lock.
    assert ledger.skills == () and library.activate("pdf", ledger=ledger).status == "new"


def test_without_a_home_nothing_is_allowed(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.skill("pdf")
    monkeypatch.setenv("HOME", "relative")
    with pytest.raises(UsageError, match="trust store"):
        Library.load(trust=["ask"])
    with pytest.raises(UsageError, match="trust store"):
        Library.load_path(tree.project, trust=["ask"])


def test_a_circle_is_no_message(tree: Tree) -> None:
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(ValueError, match="Circular"):
        Ledger().reconcile([{"role": "user", "content": circle}])


def test_paths_that_are_no_unicode(tree: Tree) -> None:
    """A file name of any bytes is one; Python escapes what is no UTF-8."""
    directory = tree.home / ".agents/skills/caf\udce9"
    try:
        directory.mkdir(parents=True)
    except (OSError, UnicodeEncodeError):
        pytest.skip("this file system holds Unicode only")
    (directory / "SKILL.md").write_text("---\nname: cafe\ndescription: Makes coffee.\n---\nMake it.\n")
    library = tree.load()
    assert "Make it." in library.activate("cafe").text
    assert library.readable_roots() == [directory]
    assert "\ufffd" in library.skills[0].directory


def test_an_iterator_that_raises_half_way(tree: Tree) -> None:
    library, ledger = tree.load(), Ledger()
    tree.skill("pdf")
    library = tree.load()
    library.activate("pdf", ledger=ledger, placement="call-1")

    def placements() -> Iterator[str]:
        yield "call-1"
        raise KeyError("half-way")

    class Message:
        def model_dump(self, **_: object) -> object:
            raise KeyError("half-way")

    for held in (placements(), [{"role": "user", "content": "Hi"}, Message()]):
        with pytest.raises(KeyError, match="half-way"):
            ledger.reconcile(held)
        with pytest.raises(KeyError, match="half-way"):
            ledger.plan_compaction(placements(), budget=1)
    assert ledger.skills[0].state == "pending"


def test_a_huge_conversation(tree: Tree) -> None:
    tree.skill("pdf")
    library, ledger = tree.load(), Ledger()
    text = library.activate("pdf", ledger=ledger, placement="call-1").text
    call = {"id": "call-1", "type": "function", "function": {"name": "activate_skill", "arguments": "{}"}}
    messages = [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call-1", "content": text},
        *({"role": "user", "content": f"message {number}"} for number in range(50_000)),
    ]
    ledger.reconcile(messages)
    plan = ledger.plan_compaction(messages, budget=25_000)
    shorter = plan.apply(summary="A lot was said.")
    assert len(plan.leaving) + len(shorter) == len(messages) + 1 and plan.reattached == ("project:pdf",)


def test_many_threads_share_a_library_and_a_ledger(tree: Tree) -> None:
    for number in range(8):
        tree.skill(f"skill-{number}")
    library, ledger = tree.load(), Ledger()
    start = threading.Barrier(8)

    def work(number: int) -> None:
        start.wait()
        for turn in range(10):
            placement = f"{number}-{turn}"
            library.activate(f"skill-{number}", ledger=ledger, placement=placement)
            ledger.reconcile([*ledger.protected, placement])
            ledger.plan_compaction([{"role": "user", "content": "Hi"}], budget=10).apply(summary="s")
            assert len(library.skills) == 8 and library.reload().changed == () and ledger.fork()[1] == ""
            assert repr(ledger) and ledger.snapshot()

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(work, number) for number in range(8)]:
            done.result(timeout=120)
    assert len(ledger.skills) == 8


def test_many_event_loops_share_a_library_and_a_ledger(tree: Tree) -> None:
    tree.skill("pdf")
    library, ledger = tree.load(), Ledger()

    async def session(loop: int) -> None:
        async def turn(number: int) -> None:
            delivery = await asyncio.to_thread(
                library.activate, "pdf", ledger=ledger, placement=f"{loop}-{number}"
            )
            assert delivery.status in ("new", "already-resident")
            ledger.reconcile(ledger.protected)

        await asyncio.gather(*(turn(number) for number in range(20)))

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(asyncio.run, session(loop)) for loop in range(4)]:
            done.result(timeout=120)
    assert len(ledger.protected) == 1


@pytest.mark.parametrize("act", ["reload", "activate", "catalog", "reconcile", "plan_compaction"])
def test_other_threads_run_meanwhile(tree: Tree, act: str) -> None:
    """Python itself never takes the interpreter from this thread here: another runs only if the call lets it."""
    for number in range(50):
        tree.skill(f"skill-{number}")
    library, ledger = tree.load(), Ledger()
    messages = [{"role": "user", "content": f"message {number}"} for number in range(200)]
    acts: dict[str, Callable[[], object]] = {
        "reload": library.reload,
        "activate": lambda: library.activate("skill-1"),
        "catalog": library.catalog,
        "reconcile": lambda: ledger.reconcile(messages),
        "plan_compaction": lambda: ledger.plan_compaction(messages, budget=1_000),
    }
    gate, ran = threading.Lock(), threading.Event()

    def run() -> None:
        with gate:
            ran.set()

    interval = sys.getswitchinterval()
    gate.acquire()
    other = threading.Thread(target=run)
    other.start()
    sys.setswitchinterval(1_000)
    try:
        gate.release()
        until = time.monotonic() + 60
        while not ran.is_set() and time.monotonic() < until:
            acts[act]()
        assert ran.is_set()
    finally:
        sys.setswitchinterval(interval)
        other.join()
