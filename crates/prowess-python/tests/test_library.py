"""What a library answers."""

from __future__ import annotations

import copy
import json
import os
import pickle
from pathlib import Path

import pytest
from conftest import Tree

import prowess
from prowess import (
    AmbiguousNameError,
    Library,
    ProwessError,
    ReadError,
    RefusedError,
    UnknownResourceError,
    UnknownSkillError,
    UsageError,
)


def call(name: str, identifier: str | None = "call-1") -> dict[str, object]:
    return {"id": identifier, "name": "activate_skill", "input": {"name": name}}


def test_every_file_is_in_one_state(tree: Tree) -> None:
    tree.skill("pdf")
    tree.skill("pdf", body="Mine.", home=True)
    tree.skill("mail")
    copy_of_mail = tree.skill("mail", home=True)
    (tree.skill("sql") / "SKILL.md").write_text("---\nname: sql\n---\n")
    library = tree.load()
    assert [skill.id for skill in library.skills] == ["project:mail", "project:pdf"]
    assert [(skill.id, skill.winner) for skill in library.shadowed] == [("user:pdf", library.skills[1].location)]
    assert [Path(duplicate.location) for duplicate in library.duplicates] == [copy_of_mail / "SKILL.md"]
    assert [invalid.code for invalid in library.invalid] == ["missing-description"]
    assert {diagnostic.code for diagnostic in library.diagnostics} == {"shadowed", "duplicate", "missing-description"}
    assert library.scan.skill_files == 5
    assert library.roots[0].exists is False and library.roots[0].scope == "enterprise"
    assert repr(library) == "Library(skills=2, shadowed=1, duplicates=1, invalid=1)"
    assert library.summary().startswith("2 skills; catalog ")


def test_reports_are_values(tree: Tree) -> None:
    tree.skill("pdf")
    one, other = tree.load(), tree.load()
    assert one.skills == other.skills and len({*one.skills, *other.skills}) == 1
    assert repr(one.skills[0]).startswith("Skill(id='project:pdf', name='pdf'")
    assert copy.copy(one.skills[0]) == pickle.loads(pickle.dumps(one.skills[0])) == one.skills[0]
    with pytest.raises(AttributeError):
        one.skills[0].name = "other"  # type: ignore[misc]
    shape = one.to_dict()
    assert json.loads(json.dumps(shape)) == shape
    assert shape["skills"][0]["id"] == "project:pdf" and list(shape)[0] == "roots"


def test_the_defaults_are_the_working_directory_and_the_home(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.skill("pdf")
    tree.skill("mail", home=True)
    monkeypatch.chdir(tree.project)
    monkeypatch.setenv("HOME", str(tree.home))
    monkeypatch.setenv("USERPROFILE", str(tree.home))
    assert {"project:pdf", "user:mail"} <= {skill.id for skill in Library.load().skills}


def test_places_and_options(tree: Tree) -> None:
    tree.skill("pdf")
    tree.skill("pdf", body="Mine.", home=True)
    tree.skill("x-doc")

    def ids(**options: object) -> list[str]:
        return [skill.id for skill in tree.load(**options).skills]

    assert ids(preset="claude") == ["user:pdf", "project:x-doc"]
    folder = tree.home / ".agents/skills"
    assert ids(roots={"team": folder}) == ids(roots=[("team", os.fspath(folder))]) == ["team:pdf"]
    assert ids(roots=[("a", folder), ("+b", tree.project / ".agents/skills")]) == ["a:pdf", "b:pdf", "b:x-doc"]
    assert ids(roots=[]) == []
    assert ids(roots=[], builtin=[folder]) == []
    assert ids(home=tree.path / "none", builtin=[folder], folders=["agent"]) == ["project:pdf", "project:x-doc"]
    assert ids(max_depth=0) == []
    for options in ({"disable": ["x-*"]}, {"policy": [{"pattern": "x-*", "is": "untrusted"}]}):
        library = tree.load(**options)
        assert [skill.visibility for skill in library.skills if skill.name == "x-doc"] != ["listed"]
        assert "x-doc" not in library.catalog().text
    assert {skill.visibility for skill in tree.load(trust=["ask", "user=allow"]).skills} == {"listed", "untrusted"}
    assert [skill.id for skill in Library.load_path(folder / "pdf").skills] == ["path:pdf"]


def test_a_catalog_has_its_costs(tree: Tree) -> None:
    tree.skill("pdf", more="")
    tree.skill("mail", more="license: MIT\n")
    catalog = tree.load().catalog()
    assert "<name>pdf</name>" in catalog.text
    assert [(entry.id, entry.shown) for entry in catalog.skills] == [("project:mail", "full"), ("project:pdf", "full")]
    small = tree.load().catalog(budget=0, format="markdown", style="tool", pins=["pdf"])
    assert small.text == "" and small.omitted == 2
    assert tree.load(roots=[]).catalog().text == ""


def test_a_body_is_delivered_once(tree: Tree) -> None:
    tree.skill("pdf", body="Fill in the form.")
    library, ledger = tree.load(), prowess.Ledger()
    delivery = library.dispatch(call("pdf"), ledger=ledger)
    assert delivery is not None and delivery.status == "new" and "Fill in the form." in delivery.text
    assert delivery.metadata == {"protected": True, "skill": "project:pdf", "digest": delivery.digest}
    again = library.dispatch(call("pdf", "call-2"), ledger=ledger)
    assert again is not None and again.status == "already-resident" and again.metadata is not None
    assert library.dispatch({"id": "1", "name": "read_file", "input": {}}, ledger=ledger) is None
    refused = library.dispatch(call("pfd"))
    assert refused is not None and refused.error is not None
    assert (refused.status, refused.error.code, refused.error.candidates) == ("denied", "unknown-skill", ("pdf",))
    assert refused.to_dict().keys() == {"status", "text", "tokens", "error"}


def test_a_request_is_answered_once_by_whoever_decides(tree: Tree) -> None:
    tree.skill("pdf")
    library, ledger = tree.load(), prowess.Ledger()
    request = library.request(call("pdf"))
    assert request is not None and request.skill == "project:pdf"
    assert "not now" in request.deny("not now").text and ledger.skills == ()
    with pytest.raises(UsageError):
        request.deliver(ledger=ledger)
    without_id = library.request(call("pdf", None))
    assert without_id is not None
    with pytest.raises(UsageError, match="placement"):
        without_id.deliver(ledger=ledger)
    assert without_id.deliver(ledger=ledger, placement="turn-7").status == "new"
    assert ledger.protected == ("turn-7",)


def test_the_user_activates_by_mention(tree: Tree) -> None:
    directory = tree.skill("pdf")
    library, ledger = tree.load(), prowess.Ledger()
    (mention,) = library.mentions("/pdf form.pdf in $PATH")
    assert (mention.id, mention.mention, mention.arguments) == ("project:pdf", "/pdf", "form.pdf in $PATH")
    delivery = library.activate(mention.id, ledger=ledger, arguments=mention.arguments)
    assert "<skill_arguments>form.pdf in $PATH</skill_arguments>" in delivery.text
    ledger.reconcile([{"role": "user", "content": delivery.text}])
    assert ledger.protected == (prowess.placement(delivery.text),)
    assert library.activate(str(directory)).id == mention.id


def test_resources_are_read_in_parts(tree: Tree) -> None:
    directory = tree.skill("pdf")
    (directory / "a.bin").write_bytes(b"\xff0123456789")
    library = tree.load()
    part = library.resource("pdf", "a.bin", offset=1, length=3)
    assert (part.data, part.text, part.size, part.offset, part.length) == (b"012", "012", 11, 1, 3)
    assert library.resource("pdf", "a.bin").text is None
    assert "data" not in part.to_dict()
    assert library.readable_roots() == [directory]


def test_definitions_have_the_form_of_a_provider(tree: Tree) -> None:
    tree.skill("pdf")
    library = tree.load()
    assert library.tools()[0]["function"]["name"] == "activate_skill"
    assert library.tools("anthropic")[0]["input_schema"]["properties"]["name"]["enum"] == ["pdf"]
    assert len(library.tools("gemini")[0]["functionDeclarations"]) == len(library.tools("mcp")) == 2
    assert tree.load(roots=[]).tools() == []


def test_a_reload_says_what_is_different(tree: Tree) -> None:
    directory = tree.skill("pdf")
    tree.skill("mail")
    library = tree.load()
    tree.skill("ship")
    (directory / "SKILL.md").write_text("---\nname: pdf\ndescription: Signs.\n---\n")
    (tree.project / ".agents/skills/mail/SKILL.md").unlink()
    reload = library.reload()
    expected = {"added": ["project:ship"], "changed": ["project:pdf"], "removed": ["project:mail"]}
    assert reload.to_dict() == expected
    assert [skill.name for skill in reload.library.skills] == ["pdf", "ship"]
    assert [skill.name for skill in library.skills] == ["mail", "pdf"]
    delta = reload.library.catalog_delta(library)
    assert "Signs." in delta and "no longer available: mail" in delta
    assert library.catalog_delta(library) == ""


def test_explanations_and_checks(tree: Tree) -> None:
    tree.skill("node_modules/pdf")
    tree.skill("mail", body="See [rules](rules.md).", more="x-team: [a, b]\n")
    library = tree.load()
    assert [(entry.state, entry.code) for entry in library.why("pdf").entries] == [("skipped", None)]
    assert library.why("mial").near == ("mail",)
    report = library.check()
    assert "missing-resource" in [diagnostic.code for diagnostic in report.diagnostics]
    assert (report.files, report.errors) == (1, 0)
    assert "warning[missing-resource]" in str(report.diagnostics[-1])
    assert library.frontmatter("mail")["x-team"] == ["a", "b"]


def test_errors_have_a_class_a_code_and_candidates(tree: Tree) -> None:
    directory = tree.skill("pdf", body="x" * 200)
    (directory / "notes.txt").write_text("Notes")
    tree.skill("ship", more="disable-model-invocation: true\n")
    library = tree.load()
    both = tree.load(roots=[("a", tree.project / ".agents/skills"), ("+b", tree.home)])
    mine = tree.home / "pdf"
    mine.mkdir()
    (mine / "SKILL.md").write_text("---\nname: pdf\ndescription: Mine.\n---\n")
    both = both.reload().library
    cases: list[tuple[type[ProwessError], str, tuple[str, ...], object]] = [
        (UnknownSkillError, "unknown-skill", ("pdf",), lambda: library.activate("pdff")),
        (AmbiguousNameError, "ambiguous-name", ("a:pdf", "b:pdf"), lambda: both.activate("pdf")),
        (RefusedError, "user-only", (), lambda: library.activate("ship", origin="model")),
        (RefusedError, "not-confined", (), lambda: library.resource("pdf", "../../x")),
        (UnknownResourceError, "unknown-resource", ("notes.txt",), lambda: library.resource("pdf", "note.md")),
        (ReadError, "body-too-large", (), lambda: tree.load(max_body=100).activate("pdf")),
        (ReadError, "io", (), lambda: Library.load_path(tree.path / "nothing")),
        (UsageError, "usage", (), lambda: Library.load_path(directory / "notes.txt")),
        (UsageError, "usage", ("file", "tool"), lambda: library.catalog(style="tools")),  # type: ignore[arg-type]
    ]
    for kind, code, candidates, act in cases:
        with pytest.raises(kind) as raised:
            act()  # type: ignore[operator]
        assert (raised.value.code, raised.value.candidates) == (code, candidates)
        again = pickle.loads(pickle.dumps(raised.value))
        assert (type(again), str(again), again.code) == (kind, str(raised.value), code)
    assert issubclass(UnknownSkillError, LookupError) and issubclass(UsageError, ValueError)
