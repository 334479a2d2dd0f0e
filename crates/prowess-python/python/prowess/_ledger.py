"""`Ledger`: what a session's conversation holds, and what a compaction puts back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from . import _prowess
from ._json import core, dumps
from .reports import SessionSkill

if TYPE_CHECKING:
    from ._library import Library, _StrPath

    _Shape: TypeAlias = Literal["openai", "anthropic"]
    _Messages: TypeAlias = Iterable[object] | Mapping[str, Any]
    _Inherit: TypeAlias = Literal["nothing", "names", "texts"]
    _Restored: TypeAlias = Literal["same", "changed", "gone", "not-visible"]


class Ledger:
    """The bodies that one session was given, and what has become of each. Any thread may use it; calls take turns.

    Messages are those of a provider: a list of dicts or of the SDK's objects, or the dict of a request that has them as
    `messages`. Their form, OpenAI's or Anthropic's, shows in them; `format` says it where it does not.
    """

    def __init__(self) -> None:
        """The ledger of a session that begins."""
        self._core = _prowess.Ledger()

    @classmethod
    def _of(cls, core: _prowess.Ledger) -> Ledger:
        ledger = cls()
        ledger._core = core
        return ledger

    def reconcile(self, present: _Messages, *, format: _Shape | None = None) -> None:
        """Says what the conversation holds now: to be called before each request to the model.

        `present` are its messages; or, for any other form, its placements (texts such as the ids of tool calls), each
        alone or in a pair with its text. A text without the whole body counts as gone.

        Raises `UsageError` if these are no messages, or if they end in a call that has no answer yet.
        """
        self._core.reconcile(_messages(present), format)

    def plan_compaction(
        self,
        messages: _Messages,
        *,
        budget: int,
        keep: int | None = None,
        cut: int | None = None,
        format: _Shape | None = None,
    ) -> Compaction:
        """Plans what leaves a conversation that has grown too long, and which bodies come back. Changes nothing yet.

        Bodies, kept or put back, take at most `budget` tokens; one that has no room leaves a line that says how to get it
        again. About `keep` tokens of the newest messages stay, or those from number `cut` on.
        """
        return Compaction(self._core.plan_compaction(_messages(messages), format, budget, keep, cut))

    @property
    def protected(self) -> tuple[str, ...]:
        """The placements that hold a body in force: what pruning must spare."""
        return tuple(self._core.protected())

    @property
    def skills(self) -> tuple[SessionSkill, ...]:
        """The skills of the session, the most recently used first."""
        skills = self.to_dict()["skills"]
        return tuple(SessionSkill(**{**skill, "reads": tuple(skill["reads"])}) for skill in skills)

    def to_dict(self) -> dict[str, Any]:
        """The session in the shape that `prowess session --json` prints."""
        session: dict[str, Any] = json.loads(self._core.session())
        return session

    def finish(self, skill: str) -> bool:
        """Says that a skill, by its id, has served: the next compaction leaves a line of it. False if not in force."""
        return self._core.finish(skill)

    def deactivate(self, skill: str) -> str | None:
        """Turns a skill off, by its id, until the user turns it on; returns a note to place, `None` if unknown."""
        return self._core.deactivate(skill)

    def pin(self, skill: str) -> None:
        """Puts a skill, by its id, first when a budget is short."""
        self._core.pin(skill)

    def unpin(self, skill: str) -> None:
        """Takes a pin back."""
        self._core.unpin(skill)

    def forget(self, placement: str) -> None:
        """Says that a text was never placed, such as the answer to a call that failed."""
        self._core.forget(placement)

    def relocate(self, placement: str, to: str) -> None:
        """Says that a text stands elsewhere than it was said to."""
        self._core.relocate(placement, to)

    def place_catalog(self, placement: str) -> None:
        """Says that the catalog stands in a message: `Compaction.catalog_leaves` then tells when it must go there again."""
        self._core.place_catalog(placement)

    def observe_read(
        self,
        library: Library,
        path: _StrPath,
        *,
        placement: str,
        lines: tuple[int, int] | None = None,
    ) -> Literal["body", "part-of-body", "resource", "nothing"]:
        """Says that the model read a file by itself: all of it, or `(first, count)` lines, the first line being 1."""
        observed: Any = self._core.observe_read(core(library), path, placement, lines)
        return observed  # type: ignore[no-any-return]

    def pinned(self, *, budget: int) -> str:
        """Every body in force as one text, for hosts that build their prompt anew for each request."""
        return self._core.pinned(budget)

    def fork(self, *, inherit: _Inherit = "nothing", budget: int | None = None) -> tuple[Ledger, str]:
        """The ledger of a child, and the text to place as a message of its own there; empty if nothing is inherited.

        `texts` are the bodies in force, within `budget` tokens. What is off stays off; the child changes nothing here.
        """
        child, text = self._core.fork(inherit, budget)
        return Ledger._of(child), text

    def snapshot(self, *, texts: bool = True) -> str:
        """The session as JSON text. Without texts it is small, and `restore` reads unchanged bodies anew."""
        return self._core.snapshot(texts)

    @classmethod
    def restore(
        cls,
        snapshot: str,
        library: Library,
        *,
        present: _Messages | None = None,
        format: _Shape | None = None,
    ) -> tuple[Ledger, dict[str, _Restored]]:
        """Takes a session up, with what has become of each skill since. `present` is as in `reconcile`.

        Unless it is given, what the conversation held then is taken to be there still. Raises `UsageError` if the text is
        no session, damaged, or of a newer version.
        """
        held = None if present is None else _messages(present)
        ledger, report = _prowess.Ledger.restore(snapshot, core(library), held, format)
        return cls._of(ledger), json.loads(report)

    def __repr__(self) -> str:
        return f"Ledger(skills={[skill.id for skill in self.skills]})"


class Compaction:
    """A planned compaction. The ledger and the messages are as they were until it is applied."""

    def __init__(self, core: _prowess.Plan) -> None:
        """Compactions come from `Ledger.plan_compaction`."""
        self._core = core

    @cached_property
    def _report(self) -> dict[str, Any]:
        report: dict[str, Any] = json.loads(self._core.report)
        return report

    @property
    def hint(self) -> str:
        """What to tell the summariser: which texts come back word by word and so need no summary."""
        return str(self._report["hint"])

    @property
    def leaving(self) -> list[dict[str, Any]]:
        """The messages that leave: what the summary is of."""
        leaving: list[dict[str, Any]] = json.loads(self._core.leaving)
        return leaving

    @property
    def reattached(self) -> tuple[str, ...]:
        """The ids of the skills whose bodies come back."""
        return tuple(self._report["reattached"])

    @property
    def stubs(self) -> tuple[str, ...]:
        """The ids of the skills of which a line is left."""
        return tuple(self._report["stubs"])

    @property
    def catalog_leaves(self) -> bool:
        """Whether the catalog that `Ledger.place_catalog` spoke of leaves."""
        return bool(self._report["catalog_leaves"])

    @property
    def tokens(self) -> int:
        """What the bodies cost afterwards: those that stay, and those that come back."""
        return int(self._report["kept_tokens"] + self._report["reattached_tokens"])

    def apply(self, *, summary: str = "") -> Any:
        """The shorter conversation, in the form it was given in, and one that its provider accepts. Tells the ledger.

        Raises `UsageError` the second time.
        """
        return json.loads(self._core.apply(summary))

    def to_dict(self) -> dict[str, Any]:
        """The plan in the shape that `prowess compact --json` prints."""
        return dict(self._report)

    def __repr__(self) -> str:
        return f"Compaction(reattached={list(self.reattached)}, stubs={list(self.stubs)}, tokens={self.tokens})"


def _messages(messages: _Messages) -> str:
    if isinstance(messages, (str, bytes)):
        raise TypeError(f"messages are a list or a dict, not {type(messages).__name__}")
    return dumps(messages if isinstance(messages, Mapping) else list(messages))
