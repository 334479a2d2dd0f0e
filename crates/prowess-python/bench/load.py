"""Load plus catalog over many skills: this package, and others of PyPI, turn by turn in one process.

usage: load.py [--skills N] [--rounds N]

Each makes the text of a system prompt from a directory of skills, with every skill in it. What each does for it:

prowess           searches project, home and enterprise roots for SKILL.md files, repairs and diagnoses frontmatter, settles
                  names, and renders name, description and location with the cost of each entry
skills-ref        reads the directories it is given (here: those of the root), with strictyaml; name, description, location
agent-skills-sdk  walks the root, reads whole files; it renders no catalog, so names and descriptions are joined here
abstractskill     looks one level below the root, reads and hashes whole files; name and description
agentskills-fs    looks one level below the root, reads frontmatter in worker threads, validates; name and description
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import statistics
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

SKILL = """---
name: skill-{number:04}
description: Works through task number {number} with care. Use when the user asks for task {number}, wants its result \
checked, or has a file of kind {number} at hand.
license: MIT
metadata:
  author: bench
---

# Task {number}

{body}"""
BODY = "- Take the next item, compare it with the list, and write down what differs.\n" * 40


def prowess(root: Path) -> str:
    from prowess import Library

    nowhere = root / "none"
    return Library.load(project=root.parents[1], home=nowhere, enterprise=nowhere).catalog().text


def skills_ref(root: Path) -> str:
    from skills_ref import to_prompt

    return str(to_prompt(sorted(path for path in root.iterdir() if path.is_dir())))


def agent_skills_sdk(root: Path) -> str:
    from agent_skills_sdk.discovery import SkillDiscovery

    found = SkillDiscovery([root]).discover_metadata()
    return "\n".join(f"{skill.name}: {skill.description}" for skill in found)


def abstractskill(root: Path) -> str:
    from abstractskill.loader import FilesystemSkillLoader
    from abstractskill.prompt import format_available_skills_xml

    return str(format_available_skills_xml(FilesystemSkillLoader(root).discover()))


def agentskills_fs(root: Path) -> str:
    from agentskills_core import SkillRegistry
    from agentskills_fs import LocalFileSystemSkillProvider

    async def catalog() -> str:
        registry = SkillRegistry()
        await registry.register_all(LocalFileSystemSkillProvider(root))
        return str(await registry.get_skills_catalog())

    return asyncio.run(catalog())


PEERS: dict[str, Callable[[Path], str]] = {
    "prowess": prowess,
    "skills-ref": skills_ref,
    "agent-skills-sdk": agent_skills_sdk,
    "abstractskill": abstractskill,
    "agentskills-fs": agentskills_fs,
}


def lay(root: Path, skills: int) -> None:
    for number in range(skills):
        directory = root / f"skill-{number:04}"
        directory.mkdir(parents=True)
        (directory / "SKILL.md").write_text(SKILL.format(number=number, body=BODY), encoding="utf-8")


def measure(root: Path, skills: int, rounds: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {}
    for name in PEERS:
        try:
            version(name)
        except PackageNotFoundError:
            print(f"not installed, so not compared: {name}")
        else:
            times[name] = []
    # The first round warms up the disk's cache and the imports.
    for turn in range(rounds + 1):
        for name, all_times in times.items():
            start = time.perf_counter()
            text = PEERS[name](root)
            elapsed = time.perf_counter() - start
            missing = [number for number in range(skills) if f"skill-{number:04}" not in text]
            assert not missing, f"{name} leaves out {len(missing)} skills"
            if turn:
                all_times.append(elapsed)
    return times


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--skills", type=int, default=1_000)
    options.add_argument("--rounds", type=int, default=7)
    given = options.parse_args()
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory).resolve() / "project/.agents/skills"
        lay(root, given.skills)
        times = measure(root, given.skills, given.rounds)
    own = statistics.median(times["prowess"])
    print(f"load and catalog of {given.skills} skills, {given.rounds} rounds")
    print(f"{'package':<26}{'median':>12}{'fastest':>12}{'slowest':>12}{'ratio':>9}")
    for name, all_times in times.items():
        median = statistics.median(all_times)
        figures = [f"{figure * 1e3:9.1f} ms" for figure in (median, min(all_times), max(all_times))]
        print(f"{name + ' ' + version(name):<26}{''.join(figures)}{median / own:9.1f}")


if __name__ == "__main__":
    main()
