"""What a library and a ledger answer: immutable, comparable, and with `to_dict()` in the shape of `prowess --json`.

Paths are absolute text with `/`, as a model and JSON see them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:
    from ._library import Library

__all__ = [
    "Catalog",
    "CatalogEntry",
    "CheckReport",
    "Delivery",
    "Diagnostic",
    "Duplicate",
    "Explanation",
    "Failure",
    "Finding",
    "Invalid",
    "LimitHit",
    "Listing",
    "Mention",
    "Reload",
    "Report",
    "Resource",
    "Root",
    "Scan",
    "SessionSkill",
    "Shadowed",
    "Skill",
]

_R = TypeVar("_R", bound="Report")


@dataclass(frozen=True)
class Report:
    """The base of all reports."""

    def to_dict(self) -> dict[str, Any]:
        """The report in the shape that `prowess --json` prints."""
        return {item.name: _plain(getattr(self, item.name)) for item in fields(self)}


def _plain(value: Any) -> Any:
    if isinstance(value, Report):
        return value.to_dict()
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _all(kind: type[_R], shapes: Iterable[dict[str, Any]]) -> tuple[_R, ...]:
    return tuple(kind(**shape) for shape in shapes)


@dataclass(frozen=True)
class Root(Report):
    """A directory that is searched; a lower rank wins."""

    path: str
    scope: str
    rank: int
    exists: bool


@dataclass(frozen=True)
class Skill(Report):
    """A skill that bears its name. `catalog_tokens` is what it costs in every turn of a catalog without a budget."""

    id: str
    name: str
    description: str
    scope: str
    location: str
    directory: str
    catalog_tokens: int
    body_bytes: int
    visibility: Literal["listed", "user-only", "hidden", "untrusted"]
    user_invocable: bool


@dataclass(frozen=True)
class Shadowed(Report):
    """A skill that lost its name to the one at `winner`; its id still reaches it."""

    id: str
    name: str
    location: str
    winner: str


@dataclass(frozen=True)
class Duplicate(Report):
    """An identical copy of the skill at `of`."""

    location: str
    of: str


@dataclass(frozen=True)
class Invalid(Report):
    """A `SKILL.md` that does not load; the diagnostic of this code says more."""

    location: str
    code: str


@dataclass(frozen=True)
class Diagnostic(Report):
    """What a skill's author can fix. `line` and `column` count from 1; without a place in the file they are `None`."""

    code: str
    severity: Literal["error", "warning", "info"]
    path: str
    line: int | None
    column: int | None
    message: str
    help: str | None
    related: tuple[str, ...]

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}:{self.column}" if self.line else self.path
        return f"{place}: {self.severity}[{self.code}]: {self.message}"


def _diagnostics(shapes: Iterable[dict[str, Any]]) -> tuple[Diagnostic, ...]:
    return tuple(Diagnostic(**{**shape, "related": tuple(shape["related"])}) for shape in shapes)


@dataclass(frozen=True)
class LimitHit(Report):
    """A limit of the scan, and the first place where it was hit."""

    limit: str
    path: str


@dataclass(frozen=True)
class Scan(Report):
    """What a load touched; `elapsed_us` is how long it took, in microseconds."""

    directories: int
    skill_files: int
    limits_hit: tuple[LimitHit, ...]
    elapsed_us: int


@dataclass(frozen=True)
class Listing(Report):
    """Everything that a load found: each `SKILL.md` it saw is in exactly one of four tuples."""

    roots: tuple[Root, ...]
    skills: tuple[Skill, ...]
    shadowed: tuple[Shadowed, ...]
    invalid: tuple[Invalid, ...]
    duplicates: tuple[Duplicate, ...]
    diagnostics: tuple[Diagnostic, ...]
    scan: Scan

    @classmethod
    def _of(cls, shape: dict[str, Any]) -> Listing:
        scan = shape["scan"]
        return cls(
            roots=_all(Root, shape["roots"]),
            skills=_all(Skill, shape["skills"]),
            shadowed=_all(Shadowed, shape["shadowed"]),
            invalid=_all(Invalid, shape["invalid"]),
            duplicates=_all(Duplicate, shape["duplicates"]),
            diagnostics=_diagnostics(shape["diagnostics"]),
            scan=Scan(**{**scan, "limits_hit": _all(LimitHit, scan["limits_hit"])}),
        )


@dataclass(frozen=True)
class CatalogEntry(Report):
    """What a skill costs in every turn, its share of the whole from 0 to 1, and how much of it is shown."""

    id: str
    tokens: int
    share: float
    shown: Literal["full", "shortened", "name-only", "omitted"]


@dataclass(frozen=True)
class Catalog(Report):
    """The text that a model sees in every turn, and what it costs in tokens. `body_tokens` is what all bodies would."""

    text: str
    tokens: int
    body_tokens: int
    skills: tuple[CatalogEntry, ...]
    omitted: int

    @classmethod
    def _of(cls, shape: dict[str, Any]) -> Catalog:
        return cls(**{**shape, "skills": _all(CatalogEntry, shape["skills"])})


@dataclass(frozen=True)
class Failure(Report):
    """Why nothing was delivered: the code and candidates of a `ProwessError`."""

    code: str
    message: str
    candidates: tuple[str, ...]


@dataclass(frozen=True)
class Delivery(Report):
    """The text for the context, and what it is.

    Of a body, `id` to `resources_total` say what it was read from; `metadata` is the marker for the host, whose
    `protected` says that the text must survive pruning. If it is denied, `text` tells the model, and `error` the host.
    """

    status: Literal["new", "already-resident", "changed", "denied", "resource"]
    text: str
    tokens: int
    id: str | None = None
    digest: str | None = None
    directory: str | None = None
    metadata: Mapping[str, Any] | None = field(default=None, hash=False)
    resources: tuple[str, ...] | None = None
    resources_total: int | None = None
    error: Failure | None = None

    @classmethod
    def _of(cls, shape: dict[str, Any]) -> Delivery:
        if "resources" in shape:
            shape["resources"] = tuple(shape["resources"])
        if "error" in shape:
            shape["error"] = Failure(**{**shape["error"], "candidates": tuple(shape["error"]["candidates"])})
        return cls(**shape)

    def to_dict(self) -> dict[str, Any]:
        """The report in the shape that `prowess --json` prints, without what it does not speak of."""
        return {key: value for key, value in super().to_dict().items() if value is not None}


@dataclass(frozen=True)
class Resource(Report):
    """A part of a skill's file: `data` are its bytes, `text` is `None` if they are no UTF-8. `size` is the file's."""

    skill: str
    path: str
    location: str
    offset: int
    length: int
    size: int
    text: str | None
    data: bytes = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The report in the shape that `prowess --json` prints: without `data`."""
        shape = super().to_dict()
        del shape["data"]
        return shape


@dataclass(frozen=True)
class Finding(Report):
    """What became of one `SKILL.md`, why, and what to do."""

    location: str
    id: str | None
    state: str
    code: str | None
    reason: str
    help: str


@dataclass(frozen=True)
class Explanation(Report):
    """What became of every `SKILL.md` that bears a name; if none does, `near` are names like it."""

    query: str
    entries: tuple[Finding, ...]
    near: tuple[str, ...]

    @classmethod
    def _of(cls, shape: dict[str, Any]) -> Explanation:
        return cls(shape["query"], _all(Finding, shape["entries"]), tuple(shape["near"]))


@dataclass(frozen=True)
class CheckReport(Report):
    """Every finding about the skills of a library, and how many errors and warnings are among them."""

    diagnostics: tuple[Diagnostic, ...]
    files: int
    errors: int
    warnings: int

    @classmethod
    def _of(cls, shape: dict[str, Any]) -> CheckReport:
        return cls(**{**shape, "diagnostics": _diagnostics(shape["diagnostics"])})


@dataclass(frozen=True)
class Mention(Report):
    """A skill that a prompt mentions, the mention as it stands there, and what follows a mention at the beginning."""

    id: str
    mention: str
    arguments: str


@dataclass(frozen=True)
class Reload(Report):
    """A library loaded anew, and the ids of the skills that are different in it."""

    library: Library
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The ids, without the library."""
        shape = super().to_dict()
        del shape["library"]
        return shape


@dataclass(frozen=True)
class SessionSkill(Report):
    """Where a skill stands in a session, and its newest text in the conversation, with what that costs in tokens."""

    id: str
    name: str
    standing: Literal["active", "finished", "off", "withdrawn"]
    in_force: bool
    state: str | None
    placement: str | None
    digest: str | None
    tokens: int
    stub: bool
    pinned: bool
    reads: tuple[str, ...]
