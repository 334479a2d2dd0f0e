#!/usr/bin/env python3
"""Asks the Python package `prowess`. A question on stdin, the answer on stdout; or `answer`, in one process."""
import json
import os
import sys

from prowess import Library, ProwessError


def load(asked):
    limits = {f"max_{limit}": count for limit, count in asked.get("limits", {}).items()}
    options = {"disable": asked.get("disable", []), "policy": asked.get("policy", []), **limits}
    if "paths" in asked:
        (path,) = asked["paths"]
        return Library.load_path(os.path.join(asked["tree"], path), **options)
    if "roots" in asked:
        roots = (root.split("=", 1) for root in asked["roots"])
        options["roots"] = [(scope, os.path.join(asked["tree"], directory)) for scope, directory in roots]
    places = {place: asked[place] for place in ("project", "home", "enterprise")}
    return Library.load(**places, preset=asked.get("preset", "agents"), **options)


def given(asked, *names):
    return {name: asked[name] for name in names if name in asked}


def mentions(library, asked):
    return [mention.to_dict() for mention in library.mentions(asked["prompt"])]


def catalog(library, asked):
    return library.catalog(**given(asked, "budget", "format", "style"), pins=asked.get("pin", [])).to_dict()


def call(library, asked):
    delivery = library.dispatch({"name": asked["tool"], "arguments": asked.get("arguments")})
    return {"status": "not-ours"} if delivery is None else delivery.to_dict()


ANSWERS = {
    "list": lambda library, asked: library.to_dict(),
    "catalog": catalog,
    "tools": lambda library, asked: library.tools(asked["provider"]),
    "activate": lambda library, asked: library.activate(asked["name"], **given(asked, "origin", "arguments")).to_dict(),
    "resource": lambda library, asked: library.resource(asked["name"], asked["path"], **given(asked, "offset", "length")).to_dict(),
    "call": call,
    "mentions": mentions,
    "why": lambda library, asked: library.why(asked["name"], **given(asked, "budget")).to_dict(),
    "check": lambda library, asked: library.check().to_dict(),
}


def answer(asked):
    if asked["ask"] not in ANSWERS:
        return {"unsupported": "the package has no such question"}
    try:
        return ANSWERS[asked["ask"]](load(asked), asked)
    except ProwessError as error:
        return {"error": {"code": error.code, "message": str(error), "candidates": list(error.candidates)}}


if __name__ == "__main__":
    json.dump(answer(json.load(sys.stdin)), sys.stdout)
