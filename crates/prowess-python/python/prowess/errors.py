"""What a caller, a host or the system must fix. What a skill's author can fix is a `Diagnostic`, and never raised."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "AmbiguousNameError",
    "ProwessError",
    "ReadError",
    "RefusedError",
    "UnknownResourceError",
    "UnknownSkillError",
    "UsageError",
]


class ProwessError(Exception):
    """The base of all errors of this package.

    `code` is the error's code in JSON, in kebab-case; `candidates` is what could have been meant, best first.
    """

    def __init__(self, message: str, code: str, candidates: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.candidates = tuple(candidates)

    def __reduce__(self) -> tuple[type[ProwessError], tuple[str, str, tuple[str, ...]]]:
        return type(self), (str(self), self.code, self.candidates)


class UnknownSkillError(ProwessError, LookupError):
    """No skill has that name, id or path; `candidates` are the nearest names."""


class AmbiguousNameError(ProwessError, LookupError):
    """Several skills are meant; `candidates` are their ids."""


class UnknownResourceError(ProwessError, LookupError):
    """The skill has no such file; `candidates` are those it has."""


class RefusedError(ProwessError):
    """It may not be had: `user-only`, `model-only`, `denied`, `untrusted`, or `not-confined` to the skill's directory."""


class ReadError(ProwessError):
    """It can't be read: `io` or `body-too-large`."""


class UsageError(ProwessError, ValueError):
    """The call itself is wrong, or what was passed to it."""


_CLASSES: dict[str, type[ProwessError]] = {
    "unknown-skill": UnknownSkillError,
    "ambiguous-name": AmbiguousNameError,
    "unknown-resource": UnknownResourceError,
    "user-only": RefusedError,
    "model-only": RefusedError,
    "denied": RefusedError,
    "untrusted": RefusedError,
    "not-confined": RefusedError,
    "io": ReadError,
    "body-too-large": ReadError,
    "usage": UsageError,
}


def of(code: str, message: str, candidates: Sequence[str]) -> ProwessError:
    """The error of a code. The native module raises through it."""
    return _CLASSES.get(code, ProwessError)(message, code, candidates)
