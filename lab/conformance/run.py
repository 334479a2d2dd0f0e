#!/usr/bin/env python3
"""Run the conformance cases against any skill runtime.

usage: run.py --adapter COMMAND [--adapter COMMAND ...] [--only TOPIC[/NAME]] [-v]

COMMAND is started once per question, with the question as JSON on stdin, and prints the answer as JSON; README.md
describes both. Given several adapters, the table has a column for each. Needs Python 3.9, nothing else.

Exit status: 0 when every answer of the first adapter is right.
"""
import argparse
import base64
import json
import os
import shlex
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
TIMEOUT = 10


class Missing(Exception):
    """This system can't hold the tree."""


# --- laying a tree out ---


def lay(base, path, node):
    place = base / path
    place.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(node, list):
        node = "".join(line + "\n" for line in node)
    if isinstance(node, str):
        place.write_bytes(node.encode())
    elif "base64" in node:
        place.write_bytes(base64.b64decode(node["base64"]))
    elif "repeat" in node:
        part = node["repeat"]
        place.write_bytes((part.get("head", "") + part["unit"] * part["count"] + part.get("tail", "")).encode())
    elif "link" in node:
        place.symlink_to(node["link"])
    else:
        special(place, node["special"])


def special(place, kind):
    try:
        if kind == "directory":
            place.mkdir(exist_ok=True)
        elif kind == "fifo":
            os.mkfifo(place)
        elif kind == "socket":
            # The path of a socket must be short: bind it by its name.
            here = os.getcwd()
            os.chdir(place.parent)
            try:
                socket.socket(socket.AF_UNIX).bind(place.name)
            finally:
                os.chdir(here)
        elif kind == "device":
            os.mknod(place, stat.S_IFCHR | 0o600, os.makedev(1, 5))
        else:
            unreadable(place, kind)
    except (OSError, AttributeError) as error:
        raise Missing(str(error)) from error


def unreadable(place, kind):
    if kind == "unreadable-directory":
        place.mkdir()
    else:
        place.write_text("")
    place.chmod(0)
    if os.access(place, os.R_OK):
        raise Missing("permissions don't keep this user out")


def lay_case(base, case):
    links_last = sorted(case["tree"].items(), key=lambda item: (isinstance(item[1], dict) and "link" in item[1], item[0]))
    for path, node in links_last:
        lay(base, path, node)
    for which in ("project", "home"):
        (base / case.get(which, which)).mkdir(parents=True, exist_ok=True)


def change(base, step):
    for path in step.get("remove", []):
        place = base / path
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink()
    for path, node in step.get("write", {}).items():
        lay(base, path, node)


# --- asking ---


def map_texts(value, function):
    if isinstance(value, str):
        return function(value)
    if isinstance(value, list):
        return [map_texts(item, function) for item in value]
    if isinstance(value, dict):
        return {key: map_texts(item, function) for key, item in value.items()}
    return value


def question(base, case, step):
    asked = {key: value for key, value in step.items() if key != "expect"}
    asked = map_texts(asked, lambda text: text.replace("{tree}", str(base)))
    asked["tree"] = str(base)
    for which in ("project", "home"):
        asked[which] = str(base / case.get(which, which))
    asked["enterprise"] = str(base / "enterprise")
    for option in ("roots", "preset", "disable", "policy", "limits"):
        if option in case:
            asked[option] = case[option]
    return asked


def program(command):
    """The adapter that a program is: it is started once per question."""

    def answer(asked):
        done = subprocess.run(command, input=json.dumps(asked).encode(), capture_output=True, timeout=TIMEOUT, cwd=asked["tree"])
        try:
            return json.loads(done.stdout)
        except ValueError:
            raise ValueError(f"exit {done.returncode}, no JSON; stderr: {done.stderr.decode(errors='replace')[-300:]}") from None

    return answer


def ask(adapter, asked):
    answer = adapter(asked)
    base = asked["tree"].replace("\\", "/")

    def relative(text):
        below = text.startswith(base + "/") and "\n" not in text
        return text[len(base) + 1 :] if below else text.replace(base, "{tree}")

    return map_texts(answer, relative)


# --- comparing ---


class NotClaimed(Exception):
    """The answer does not speak of such a thing."""


def got(answer, field):
    if field not in answer:
        raise NotClaimed(field)
    return answer[field]


def fold(text):
    return " ".join((text or "").split())


def loaded(answer, expected):
    skills = got(answer, "skills")
    names = Counter(skill["name"] for skill in skills)
    keyed = {skill["name"] if names[skill["name"]] == 1 else skill.get("id"): skill for skill in skills}
    have = {name: None if name in expected and expected[name] is None else fold(skill["description"]) for name, skill in keyed.items()}
    want = {name: None if text is None else fold(text) for name, text in expected.items()}
    return have == want, have


def states(answer, field, expected, value):
    """Where each location has a value; one that is null in the answer is not claimed."""
    have = {item["location"]: item.get(value) for item in got(answer, field)}
    same = have.keys() == expected.keys() and all(have[path] in (None, expected[path]) for path in have)
    return same, have


def of_skills(answer, expected, field):
    skills = got(answer, "skills")
    if any(field not in skill for skill in skills):
        raise NotClaimed(field)
    have = {name: next((s[field] for s in skills if name in (s["name"], s.get("id"))), None) for name in expected}
    return have == expected, have


def like(one, expected):
    def holds(field, value):
        if field.endswith("_contains"):
            return value in (one.get(field[: -len("_contains")]) or "")
        return one.get(field) == value

    return all(holds(field, value) for field, value in expected.items())


def diagnostics(answer, field, expected):
    found = got(answer, "diagnostics")
    count = Counter(one["code"] for one in found)
    loud = any(one["severity"] != "info" for one in found)
    right = {
        "codes": lambda: all(count[code] for code in expected),
        "no_codes": lambda: not any(count[code] for code in expected),
        "once": lambda: all(count[code] == 1 for code in expected),
        "quiet": lambda: loud != expected,
        "diagnostics": lambda: all(any(like(one, want) for one in found) for want in expected) if expected else not found,
    }[field]()
    return right, [f"{one['code']} {one['path']}:{one['line']}" for one in found]


def text(answer, field, expected):
    have = got(answer, "text")
    right = {
        "text": lambda: have == expected,
        "contains": lambda: all(part in have for part in expected),
        "not_contains": lambda: not any(part in have for part in expected),
        "counts": lambda: all(have.count(part) == count for part, count in expected.items()),
    }[field]()
    return right, have[:400]


def within(value, key):
    """Every value of a key, however deep."""
    if isinstance(value, list):
        for item in value:
            yield from within(item, key)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name == key:
                yield item
            yield from within(item, key)


def shown(answer, field, expected):
    skills = got(answer, "skills")
    if field == "ids":
        have = [skill["id"] for skill in skills if skill["shown"] != "omitted"]
    else:
        have = {skill["id"]: skill["shown"] for skill in skills if skill["id"] in expected}
    return have == expected, have


def plain(answer, field, expected):
    have = got(answer, field)
    return have == expected, have


def field_holds(verb, field, expected, answer):
    if field in ("text", "contains", "not_contains", "counts"):
        return text(answer, field, expected)
    if verb == "list":
        if field == "loaded":
            return loaded(answer, expected)
        if field in ("invalid", "shadowed", "duplicates"):
            return states(answer, field, expected, {"invalid": "code", "shadowed": "winner", "duplicates": "of"}[field])
        if field in ("scopes", "ids", "visibility", "locations"):
            return of_skills(answer, expected, {"scopes": "scope", "ids": "id", "locations": "location"}.get(field, field))
        if field == "roots":
            have = [root["path"] for root in got(answer, "roots") if root["exists"]]
            return have == expected, have
        if field == "limits":
            have = [hit["limit"] for hit in got(got(answer, "scan"), "limits_hit")]
            return have == expected, have
    if verb in ("list", "check") and field in ("codes", "no_codes", "once", "quiet", "diagnostics"):
        return diagnostics(answer, field, expected)
    if verb == "catalog" and field in ("ids", "shown"):
        return shown(answer, field, expected)
    if field == "tokens_at_most":
        return got(answer, "tokens") <= expected, answer["tokens"]
    if field == "protected":
        return plain(got(answer, "metadata"), field, expected)
    if verb == "tools":
        found = list(within(answer, "enum" if field == "enum" else "name"))
        have = (found[0] if found else None) if field == "enum" else [name for name in found if isinstance(name, str)]
        return have == expected, have
    if verb == "mentions":
        return answer == expected, answer
    if verb == "why" and field != "near":
        have = {entry["location"]: entry["state" if field == "states" else "code"] for entry in got(answer, "entries")}
        return have == expected, have
    return plain(answer, field, expected)


def compare(verb, expect, answer):
    """The fields that were compared, and what is wrong."""
    error = answer.get("error") if isinstance(answer, dict) else None
    code = error["code"] if error else None
    want = expect.get("error")
    compared, wrong = 0, []
    if want or code:
        compared += 1
        if not (code if want is True else code == want):
            wrong.append(f"error: expected {want}, got {error}")
        if "candidates" in expect and error and "candidates" in error:
            if error["candidates"] != expect["candidates"]:
                wrong.append(f"candidates: expected {expect['candidates']}, got {error['candidates']}")
        return compared, wrong
    for field, expected in expect.items():
        try:
            holds, have = field_holds(verb, field, expected, answer)
        except NotClaimed:
            continue
        compared += 1
        if not holds:
            wrong.append(f"{field}: expected {json.dumps(expected, ensure_ascii=False)}, got {json.dumps(have, ensure_ascii=False)}")
    return compared, wrong


# --- running ---


def run_case(adapter, case):
    """`right`, `wrong`, `not claimed` or `not laid`, and why."""
    base = Path(os.path.realpath(tempfile.mkdtemp(prefix="skills-")))
    compared, wrong = 0, []
    try:
        lay_case(base, case)
        first = [{"ask": "list", "expect": case["expect"]}] if "expect" in case else []
        for step in first + case.get("steps", []):
            change(base, step)
            if "ask" not in step:
                continue
            try:
                answer = ask(adapter, question(base, case, step))
            except (ValueError, subprocess.TimeoutExpired) as error:
                compared, wrong = compared + 1, wrong + [f"{step['ask']}: {error}"]
                continue
            if isinstance(answer, dict) and "unsupported" in answer:
                continue
            fields, faults = compare(step["ask"], step.get("expect", {}), answer)
            compared += fields
            wrong += [f"{step['ask']}: {fault}" for fault in faults]
    except Missing as error:
        return "not laid", [str(error)]
    finally:
        for path, node in case["tree"].items():
            if node == {"special": "unreadable-directory"} and (base / path).exists():
                (base / path).chmod(0o700)
        shutil.rmtree(base, ignore_errors=True)
    if wrong:
        return "wrong", wrong
    return ("right" if compared else "not claimed"), []


def cases(only):
    for file in sorted((HERE / "cases").glob("*/*.json")):
        name = file.relative_to(HERE / "cases").with_suffix("").as_posix()
        if not only or name == only or name.startswith(only + "/"):
            yield name, json.loads(file.read_text(encoding="utf-8"))


def label(command):
    """The name of an adapter: its script's, or its program's."""
    script = next((word for word in command if word.endswith(".py")), command[0])
    return Path(script).stem


def table(results, labels):
    topics = sorted({name.split("/")[0] for name in results[0]})
    print("| topic | cases | " + " | ".join(labels) + " |\n| --- | ---: |" + " ---: |" * len(labels))
    for topic in [*topics, ""]:
        names = [name for name in results[0] if topic in ("", name.split("/")[0])]
        cells = []
        for result in results:
            counts = Counter(result[name] for name in names)
            asked = counts["right"] + counts["wrong"]
            cells.append(f"{counts['right']} of {asked}" if asked else "-")
        print(f"| {topic or 'all'} | {len(names)} | " + " | ".join(cells) + " |")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--adapter", action="append", required=True, metavar="COMMAND")
    options.add_argument("--only", metavar="TOPIC[/NAME]")
    options.add_argument("-v", "--verbose", action="store_true", help="say what is wrong, case by case")
    options = options.parse_args()
    results = []
    for command in options.adapter:
        adapter = [os.path.abspath(word) if os.path.exists(word) else word for word in shlex.split(command)]
        result = {}
        for name, case in cases(options.only):
            result[name], why = run_case(program(adapter), case)
            if options.verbose and result[name] not in ("right", "not claimed"):
                print(f"{result[name]}: {name}: {'; '.join(why)}"[:1000])
        results.append(result)
    labels = [label(shlex.split(command)) for command in options.adapter]
    table(results, labels)
    sys.exit(1 if "wrong" in results[0].values() or not results[0] else 0)


if __name__ == "__main__":
    main()
