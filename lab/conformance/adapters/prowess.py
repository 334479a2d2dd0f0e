#!/usr/bin/env python3
"""Asks the `prowess` binary: adapters/prowess.py [PROWESS]. A question on stdin, the answer on stdout."""
import json
import os
import subprocess
import sys

asked = json.load(sys.stdin)
binary = sys.argv[1] if len(sys.argv) > 1 else "prowess"
verb = {"tools": "catalog"}.get(asked["ask"], asked["ask"])
if verb not in ("list", "catalog", "activate", "resource", "why", "check") or "policy" in asked:
    print(json.dumps({"unsupported": "the command line has no such question"}))
    sys.exit()

command = [binary, verb, "--json"]
for option in ("project", "home", "enterprise", "preset", "budget", "offset", "length", "format", "style", "origin"):
    if option in asked:
        command += [f"--{option}", str(asked[option])]
for root in asked.get("roots", []):
    scope, directory = root.split("=", 1)
    command.append(f"--root={scope}={os.path.join(asked['tree'], directory)}")
command += [f"--disable={pattern}" for pattern in asked.get("disable", [])]
command += [f"--pin={pin}" for pin in asked.get("pin", [])]
command += [f"--max-{limit}={count}" for limit, count in asked.get("limits", {}).items()]
if asked["ask"] == "tools":
    command += ["--tools", asked["provider"]]
command += [asked[argument] for argument in ("name", "path") if argument in asked]
command += [os.path.join(asked["tree"], path) for path in asked.get("paths", [])]
if "arguments" in asked:
    command += ["--", asked["arguments"]]
sys.stdout.buffer.write(subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL).stdout)
