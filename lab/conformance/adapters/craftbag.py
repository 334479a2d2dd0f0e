#!/usr/bin/env python3
"""Asks the `craftbag` binary what it lists: adapters/craftbag.py [CRAFTBAG]. A question on stdin, the answer on stdout."""
import json
import os
import subprocess
import sys

asked = json.load(sys.stdin)
binary = sys.argv[1] if len(sys.argv) > 1 else "craftbag"
OWN = ("roots", "preset", "policy", "limits", "disable")
if asked["ask"] != "list" or any(option in asked for option in OWN) or os.path.isdir(asked["enterprise"]):
    print(json.dumps({"unsupported": "only what the default directories list"}))
    sys.exit()

done = subprocess.run(
    [binary, "list", "--json", "--vendor", "claude"],
    cwd=asked["project"],
    env={"HOME": asked["home"], "PATH": os.environ["PATH"]},
    capture_output=True,
)
found = json.loads(done.stdout)
lost = [skip for skip in found["skips"] if skip.get("winnerPath")]
broken = [skip for skip in found["skips"] if skip not in lost and os.path.basename(skip["path"]) == "SKILL.md"]
print(json.dumps({
    "skills": [{"name": s["name"], "description": s["description"], "location": s["path"]} for s in found["skills"]],
    "shadowed": [{"location": skip["path"], "winner": skip["winnerPath"]} for skip in lost],
    "invalid": [{"location": skip["path"], "code": None} for skip in broken],
}))
