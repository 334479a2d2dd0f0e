"""The conformance cases, whose expected answers the Rust tests read as well."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from types import ModuleType
from typing import Any

from conftest import WORKSPACE

CONFORMANCE = WORKSPACE / "lab/conformance"


def module(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.replace("/", "_"), CONFORMANCE / f"{path}.py")
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def questions(case: dict[str, Any]) -> int:
    return ("expect" in case) + sum("ask" in step for step in case.get("steps", []))


def test_the_package_conforms() -> None:
    run, adapter = module("run"), module("adapters/prowess_python")
    answered: Counter[str] = Counter()

    def answer(asked: dict[str, Any]) -> Any:
        reply = adapter.answer(asked)
        assert "unsupported" not in reply, asked["ask"]
        answered[asked["ask"]] += 1
        # What others read is JSON.
        return json.loads(json.dumps(reply))

    cases = dict(run.cases(None))
    outcomes = {name: run.run_case(answer, case) for name, case in cases.items()}
    wrong = {name: why for name, (outcome, why) in outcomes.items() if outcome in ("wrong", "not claimed")}
    assert wrong == {}
    # What this system can't lay, such as files that root may not read, is left out; everything else is answered.
    unlaid = {name for name, (outcome, _) in outcomes.items() if outcome == "not laid"}
    assert all("special" in json.dumps(cases[name]["tree"]) for name in unlaid)
    assert sum(answered.values()) >= sum(questions(case) for name, case in cases.items() if name not in unlaid)
    assert len(unlaid) <= len(cases) // 20
    assert set(answered) == set(adapter.ANSWERS)
