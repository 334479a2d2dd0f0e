"""Python's objects as the core takes them."""

from __future__ import annotations

import json
from typing import Any


def dumps(value: object) -> str:
    """The text of a value; objects of a provider's SDK stand for what they would be in a request."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_request_form)


def core(value: object) -> Any:
    """The core's object in one of this package's. Any other stays what it is, and the core names it in a `TypeError`."""
    return getattr(value, "_core", value)


def _request_form(value: object) -> Any:
    dump = getattr(value, "model_dump", None)
    if dump is None:
        raise TypeError(f"{type(value).__name__} is neither JSON nor an object with `model_dump`")
    return dump(mode="json", exclude_unset=True)
