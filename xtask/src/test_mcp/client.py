"""Asks a server everything that a client of the official Python SDK can: over stdio if given a program, else over HTTP.

usage: client.py PROGRAM-OR-URL PROJECT
"""

import asyncio
import shutil
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters, stdio_client

TARGET, PROJECT = sys.argv[1], Path(sys.argv[2])
NEW = PROJECT / ".agents/skills/new"


def target():
    if TARGET.startswith("http"):
        return TARGET
    arguments = ["mcp", "--quiet", "--project", str(PROJECT), "--home", str(PROJECT / "home")]
    return stdio_client(StdioServerParameters(command=TARGET, args=arguments))


async def check(mode):
    changed = asyncio.Event()

    async def hear(message):
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            changed.set()

    async with Client(target(), mode=mode, message_handler=hear) as client:
        assert "io.modelcontextprotocol/skills" in client.server_capabilities.extensions
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert tools == ["activate_skill", "read_skill_resource", "list_skills", "why_skill"], tools
        activated = await client.call_tool("activate_skill", {"name": "forms"})
        assert not activated.is_error and "Fill them in." in activated.content[0].text
        part = await client.call_tool("read_skill_resource", {"name": "forms", "path": "references/fields.md"})
        assert part.content[0].text == "Fields\n"
        resources = (await client.list_resources()).resources
        assert [str(resource.uri) for resource in resources] == ["skill://forms/SKILL.md"], resources
        read = await client.read_resource("skill://forms/references/fields.md")
        assert read.contents[0].text == "Fields\n"
        prompt = await client.get_prompt("forms", {"arguments": "a.pdf"})
        assert "a.pdf" in prompt.messages[0].content.text
        if mode == "legacy":
            NEW.mkdir()
            (NEW / "SKILL.md").write_text("---\nname: new\ndescription: Is new.\n---\n")
            await asyncio.wait_for(changed.wait(), 10)
            shutil.rmtree(NEW)
        print(f"{client.protocol_version}: fine")


for mode in ["auto", "legacy"]:
    asyncio.run(check(mode))
