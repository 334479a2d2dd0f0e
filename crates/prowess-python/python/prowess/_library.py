"""`Library`: one load, and what is asked of it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from . import _prowess
from ._json import core, dumps
from .reports import (
    Catalog,
    CheckReport,
    Delivery,
    Diagnostic,
    Duplicate,
    Explanation,
    Invalid,
    Listing,
    Mention,
    Reload,
    Resource,
    Root,
    Scan,
    Shadowed,
    Skill,
)

if TYPE_CHECKING:
    from ._ledger import Ledger

    _StrPath: TypeAlias = str | os.PathLike[str]
    _Format: TypeAlias = Literal["xml", "markdown", "json"]
    _Style: TypeAlias = Literal["file", "tool"]
    _Provider: TypeAlias = Literal["openai", "anthropic", "gemini", "mcp"]
    _Origin: TypeAlias = Literal["user", "model"]
    _Preset: TypeAlias = Literal["agents", "claude"]


class Library:
    """An immutable snapshot of one load. It may be used from any number of threads and event loops at once.

    What reads the disk, and what takes long, lets other threads run: in a coroutine, `await asyncio.to_thread(...)` it.
    """

    def __init__(self, core: _prowess.Library) -> None:
        """Libraries come from `Library.load`."""
        self._core = core

    @classmethod
    def load(
        cls,
        *,
        project: _StrPath | None = None,
        home: _StrPath | None = None,
        roots: Mapping[str, _StrPath] | Sequence[tuple[str, _StrPath]] | None = None,
        enterprise: _StrPath | None = None,
        preset: _Preset = "agents",
        folders: Sequence[_StrPath] = (),
        builtin: Sequence[_StrPath] = (),
        disable: Sequence[str] = (),
        policy: Sequence[Mapping[str, str]] = (),
        trust: Sequence[str] = (),
        max_depth: int | None = None,
        max_directories: int | None = None,
        max_body: int | None = None,
    ) -> Library:
        """Finds the skills. What is wrong with a skill is a diagnostic: a load never fails as a whole.

        `project` is the working directory and `home` the user's, unless they are given. The directories that are searched
        follow from them, from `enterprise` (the organisation's) and from `preset`: with `claude` the user's skills
        outrank the project's. `folders` are a host's own beside `.agents/skills` and `.claude/skills`, `builtin` the
        directories that it brings along.

        `roots` replaces all of these by `(scope, directory)`, highest first; a `+` before a scope shares the rank of the
        one before. `disable` hides skills by `name` or `scope:name` with `*` and `?`; `policy` has rules such as
        `{"scope": "project", "is": "untrusted"}`, `{"pattern": "x-*", "is": "user-only"}` and `{"allow": "team:*"}`.
        `trust` has `ask`, `deny` or `allow`, for a scope as in `user=allow`: with `ask`, skills are out of a model's reach
        until the user has allowed them, as they are, with the command `prowess trust`. `max_body` is in bytes.

        Raises `UsageError` if an argument makes no sense, `ReadError` if there is no working directory.
        """
        places = {
            "project": project,
            "home": home,
            "roots": list(roots.items()) if isinstance(roots, Mapping) else roots,
            "enterprise": enterprise,
            "preset": preset,
            "folders": folders,
            "builtin": builtin,
        }
        how = _how(disable, policy, trust, max_depth, max_directories, max_body)
        return cls(_prowess.Library.load(places, how))

    @classmethod
    def load_path(
        cls,
        path: _StrPath,
        *,
        disable: Sequence[str] = (),
        policy: Sequence[Mapping[str, str]] = (),
        trust: Sequence[str] = (),
        max_depth: int | None = None,
        max_directories: int | None = None,
        max_body: int | None = None,
    ) -> Library:
        """Loads what one path holds: a `SKILL.md`, a skill's directory, or a directory that is searched.

        Raises `ReadError` if nothing is there, `UsageError` if it is a file of another name.
        """
        how = _how(disable, policy, trust, max_depth, max_directories, max_body)
        return cls(_prowess.Library.load_path(path, how))

    @cached_property
    def _listing(self) -> Listing:
        return Listing._of(json.loads(self._core.listing()))

    @property
    def roots(self) -> tuple[Root, ...]:
        """The directories that were searched, highest first."""
        return self._listing.roots

    @property
    def skills(self) -> tuple[Skill, ...]:
        """The skills that bear their name, sorted by name."""
        return self._listing.skills

    @property
    def shadowed(self) -> tuple[Shadowed, ...]:
        """The skills that lost their name to another; their ids still reach them."""
        return self._listing.shadowed

    @property
    def duplicates(self) -> tuple[Duplicate, ...]:
        """The identical copies."""
        return self._listing.duplicates

    @property
    def invalid(self) -> tuple[Invalid, ...]:
        """The files that do not load."""
        return self._listing.invalid

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything that was found wrong."""
        return self._listing.diagnostics

    @property
    def scan(self) -> Scan:
        """What the load touched."""
        return self._listing.scan

    def to_dict(self) -> dict[str, Any]:
        """All of the above in the shape that `prowess list --json` prints."""
        return self._listing.to_dict()

    def summary(self) -> str:
        """A line for the log: how many skills, and what they cost."""
        return self._core.summary()

    def catalog(
        self,
        *,
        budget: int | None = None,
        format: _Format = "xml",
        style: _Style = "file",
        pins: Sequence[str] = (),
        cap: int | None = None,
        floor: int | None = None,
    ) -> Catalog:
        """Renders the section for the system prompt; its text is empty if no skill is listed.

        Over its `budget`, in tokens, descriptions are cut to `cap` characters, then down to `floor`, then entries become
        names, then they are omitted and a note says how many; `pins` (ids or names) go last. With `style="tool"` the model
        is told to call `activate_skill`, else to read the file.
        """
        section = _section(budget, format, style, pins, cap, floor)
        return Catalog._of(json.loads(self._core.catalog(section)))

    def catalog_delta(self, earlier: Library, *, format: _Format = "xml", style: _Style = "file") -> str:
        """What a model must hear of a catalog that has changed since an earlier load; empty if it has not."""
        return self._core.catalog_delta(core(earlier), _section(None, format, style))

    def tools(self, format: _Provider = "openai") -> list[dict[str, Any]]:
        """The definitions of `activate_skill` and `read_skill_resource` for a request's `tools`; none without skills."""
        tools: list[dict[str, Any]] = json.loads(self._core.tools(format))
        return tools

    def request(self, call: object) -> Request | None:
        """Turns a model's tool call into a request, to be delivered or denied; `None` if it is a tool of your own.

        `call` is what the provider sent: its dict, or the SDK's object.
        """
        request = self._core.request(dumps(call))
        return None if request is None else Request(request)

    def dispatch(self, call: object, *, ledger: Ledger | None = None, placement: str | None = None) -> Delivery | None:
        """Answers a model's tool call: `request` and `deliver` in one. A call that can't be met is answered as well."""
        request = self.request(call)
        return None if request is None else request.deliver(ledger=ledger, placement=placement)

    def activate(
        self,
        name: str,
        *,
        ledger: Ledger | None = None,
        origin: _Origin = "user",
        arguments: str = "",
        placement: str | None = None,
    ) -> Delivery:
        """Delivers a body, read now, by name, id or, for the user, path.

        `placement` is where the text will stand in the conversation; unless it is given, as a text of its own, such as the
        content of a message of the user. `arguments` stand behind the body. Without a ledger nothing is remembered.

        Raises `UnknownSkillError`, `AmbiguousNameError`, `RefusedError` or `ReadError`.
        """
        return Delivery._of(json.loads(self._core.activate(name, origin, arguments, core(ledger), placement)))

    def mentions(self, prompt: str) -> tuple[Mention, ...]:
        """The skills that a prompt mentions as `/name` or `$name`, in their order, each once."""
        return tuple(Mention(**shape) for shape in json.loads(self._core.mentions(prompt)))

    def resource(self, name: str, path: str, *, offset: int = 0, length: int | None = None) -> Resource:
        """Reads a part of a file that a skill brings along: at most 1 MiB at a time, and nothing outside of the skill.

        Raises `RefusedError` if the path leads outside, `UnknownResourceError`, `ReadError`, or what `activate` does for
        the name.
        """
        shape, data = self._core.resource(name, path, offset, length)
        return Resource(**json.loads(shape), data=data)

    def frontmatter(self, name: str) -> dict[str, Any]:
        """Every entry of a skill's frontmatter, known or not, such as `allowed-tools`: data for the host."""
        entries: dict[str, Any] = json.loads(self._core.frontmatter(name))
        return entries

    def readable_roots(self) -> list[Path]:
        """The directories that a host must let a model read."""
        return self._core.readable_roots()

    def why(self, name: str, *, budget: int | None = None) -> Explanation:
        """Says what became of every `SKILL.md` that bears a name, searching further than the load did."""
        return Explanation._of(json.loads(self._core.why(name, _section(budget))))

    def check(self) -> CheckReport:
        """Everything that is wrong, also what a load does not look for: dead links, descriptions too alike."""
        return CheckReport._of(json.loads(self._core.check()))

    def reload(self) -> Reload:
        """Loads again, and compares. This library stays what it is."""
        library, shape = self._core.reload()
        ids = {key: tuple(ids) for key, ids in json.loads(shape).items()}
        return Reload(Library(library), **ids)

    def __repr__(self) -> str:
        counts = {field: len(getattr(self, field)) for field in ("skills", "shadowed", "duplicates", "invalid")}
        return f"Library({', '.join(f'{field}={count}' for field, count in counts.items())})"


class Request:
    """A model's call for a body or a file of a skill. Nothing is read before it is delivered; it is answered once."""

    def __init__(self, core: _prowess.Request) -> None:
        """Requests come from `Library.request`."""
        self._core = core

    @property
    def skill(self) -> str | None:
        """The id of the skill it is about; `None` if none is meant, or none that a model may have."""
        return self._core.skill

    def deliver(self, *, ledger: Ledger | None = None, placement: str | None = None) -> Delivery:
        """Reads what is wanted. `placement` is where the answer will stand, unless given: the call's id."""
        return Delivery._of(json.loads(self._core.deliver(core(ledger), placement)))

    def deny(self, reason: str = "") -> Delivery:
        """Turns it down; the reason becomes text for the model."""
        return Delivery._of(json.loads(self._core.deny(reason)))

    def __repr__(self) -> str:
        return f"Request(skill={self.skill!r})"


def _how(
    disable: Sequence[str],
    policy: Sequence[Mapping[str, str]],
    trust: Sequence[str],
    max_depth: int | None,
    max_directories: int | None,
    max_body: int | None,
) -> dict[str, Any]:
    return {
        "disable": disable,
        "policy": dumps(policy),
        "trust": trust,
        "max_depth": max_depth,
        "max_directories": max_directories,
        "max_body": max_body,
    }


def _section(
    budget: int | None = None,
    format: _Format = "xml",
    style: _Style = "file",
    pins: Sequence[str] = (),
    cap: int | None = None,
    floor: int | None = None,
) -> dict[str, Any]:
    return {"budget": budget, "format": format, "style": style, "pins": pins, "cap": cap, "floor": floor}
