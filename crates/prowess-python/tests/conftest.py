"""Trees of skills for the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from prowess import Library

WORKSPACE = Path(__file__).parents[3]


class Tree:
    """A project and a home in a temporary directory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.project = path / "project"
        self.home = path / "home"
        self.project.mkdir()
        self.home.mkdir()

    def skill(self, name: str, body: str = "Fill.", *, home: bool = False, more: str = "") -> Path:
        """Lays a skill, and returns its directory."""
        directory = (self.home if home else self.project) / ".agents/skills" / name
        directory.mkdir(parents=True, exist_ok=True)
        text = f"---\nname: {name}\ndescription: Helps with {name}.\n{more}---\n{body}\n"
        (directory / "SKILL.md").write_text(text, encoding="utf-8")
        return directory

    def load(self, **options: object) -> Library:
        """Loads what has been laid, and nothing else of this machine."""
        places: dict[str, object] = {"project": self.project, "home": self.home, "enterprise": self.path / "none"}
        return Library.load(**{**places, **options})  # type: ignore[arg-type]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)
