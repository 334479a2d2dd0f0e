"""A skill runtime to embed in an agent host: finds Agent Skills, tells a model that they exist, hands over a body when
the model asks for it, and keeps account of what the conversation holds.

>>> from prowess import Library
>>> library = Library.load()
>>> prompt = f"You are an agent.\\n\\n{library.catalog(budget=4_000, style='tool').text}"
"""

from ._ledger import Compaction, Ledger
from ._library import Library, Request
from ._prowess import __version__, placement
from .errors import (
    AmbiguousNameError,
    ProwessError,
    ReadError,
    RefusedError,
    UnknownResourceError,
    UnknownSkillError,
    UsageError,
)
from .reports import (
    Catalog,
    CatalogEntry,
    CheckReport,
    Delivery,
    Diagnostic,
    Duplicate,
    Explanation,
    Failure,
    Finding,
    Invalid,
    LimitHit,
    Mention,
    Reload,
    Resource,
    Root,
    Scan,
    SessionSkill,
    Shadowed,
    Skill,
)

__all__ = [
    "AmbiguousNameError",
    "Catalog",
    "CatalogEntry",
    "CheckReport",
    "Compaction",
    "Delivery",
    "Diagnostic",
    "Duplicate",
    "Explanation",
    "Failure",
    "Finding",
    "Invalid",
    "Ledger",
    "Library",
    "LimitHit",
    "Mention",
    "ProwessError",
    "ReadError",
    "RefusedError",
    "Reload",
    "Request",
    "Resource",
    "Root",
    "Scan",
    "SessionSkill",
    "Shadowed",
    "Skill",
    "UnknownResourceError",
    "UnknownSkillError",
    "UsageError",
    "__version__",
    "placement",
]
