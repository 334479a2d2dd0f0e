"""Asks a server everything that a client of the official Python SDK can: over stdio if given a program, else over HTTP.

usage: client.py PROGRAM-OR-URL PROJECT HOME
"""

import asyncio
import shutil
import sys
from contextlib import AsyncExitStack
from pathlib import Path

from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.types import PromptReference, ResourceTemplateReference

TARGET, PROJECT, HOME = sys.argv[1:]
SKILLS = Path(PROJECT) / ".agents/skills"
LISTS = {"tools", "prompts", "resources"}


def target():
    if TARGET.startswith("http"):
        return TARGET
    arguments = ["mcp", "--quiet", "--project", PROJECT, "--home", HOME]
    return stdio_client(StdioServerParameters(command=TARGET, args=arguments))


class Changes:
    """The lists that the server has said to have changed."""

    def __init__(self):
        self.changed = set()
        self.more = asyncio.Event()

    async def hear(self, message):
        """What the server of an older revision says unasked."""
        method = getattr(message, "method", "")
        if method.endswith("/list_changed"):
            self.note(method.split("/")[1])

    async def listen(self, subscription):
        async for event in subscription:
            self.note(type(event).__name__.removesuffix("ListChanged").lower())

    def note(self, which):
        self.changed.add(which)
        self.more.set()

    async def after(self, change):
        """Makes a change, and waits until all three lists are said to have changed."""
        self.changed.clear()
        change()
        while self.changed != LISTS:
            self.more.clear()
            await asyncio.wait_for(self.more.wait(), 20)


async def lists(client):
    tools = [tool.name for tool in (await client.list_tools()).tools]
    assert tools == ["activate_skill", "read_skill_resource", "list_skills", "why_skill"], tools
    resources = [resource.uri for resource in (await client.list_resources()).resources]
    assert resources == ["skill://forms/SKILL.md"], resources
    prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
    assert prompts == ["forms"], prompts


async def one_of_each(client):
    activated = await client.call_tool("activate_skill", {"name": "forms"})
    assert not activated.is_error and "\nFill them in.\n" in activated.content[0].text
    unknown = await client.call_tool("activate_skill", {"name": "form"})
    assert unknown.is_error and "did you mean `forms`?" in unknown.content[0].text
    part = await client.call_tool("read_skill_resource", {"name": "forms", "path": "references/fields.md"})
    assert part.content[0].text == "Fields\n"
    read = await client.read_resource("skill://forms/references/fields.md")
    assert read.contents[0].text == "Fields\n"
    try:
        await client.read_resource("skill://forms/../../etc/passwd")
        raise AssertionError("a path leads out of a skill")
    except MCPError:
        pass
    prompt = await client.get_prompt("forms", {"arguments": "a.pdf"})
    text = prompt.messages[0].content.text
    assert "\nFill them in.\n" in text and "<skill_arguments>a.pdf</skill_arguments>" in text


async def completions(client):
    template = (await client.list_resource_templates()).resource_templates[0].uri_template
    template = ResourceTemplateReference(type="ref/resource", uri=template)
    skills = await client.complete(template, {"name": "skill", "value": "fo"})
    assert skills.completion.values == ["forms"], skills
    paths = await client.complete(template, {"name": "path", "value": "ref"}, {"skill": "forms"})
    assert paths.completion.values == ["references/fields.md"], paths
    prompt = PromptReference(type="ref/prompt", name="forms")
    assert (await client.complete(prompt, {"name": "arguments", "value": ""})).completion.values == []


async def changes(client, changes):
    file, new = SKILLS / "forms/SKILL.md", SKILLS / "new/SKILL.md"
    before = file.read_text()

    async def offered():
        return (await client.list_tools()).tools[0].description

    await changes.after(lambda: file.write_text(before.replace("Fills in forms.", "Fills in visas.")))
    assert "Fills in visas." in await offered()
    new.parent.mkdir()
    await changes.after(lambda: new.write_text("---\nname: new\ndescription: Is new.\n---\nBody.\n"))
    assert "Is new." in await offered()
    activated = await client.call_tool("activate_skill", {"name": "new"})
    assert "\nBody.\n" in activated.content[0].text
    await changes.after(lambda: shutil.rmtree(new.parent))
    assert "Is new." not in await offered()
    await changes.after(lambda: file.write_text(before))


async def check(revision):
    told, is_current = Changes(), revision == "2026-07-28"
    how = {"mode": "auto"} if is_current else {"mode": "legacy", "message_handler": told.hear}
    async with Client(target(), **how) as client:
        assert client.protocol_version == revision, client.protocol_version
        assert "io.modelcontextprotocol/skills" in client.server_capabilities.extensions
        assert "<name>forms</name>" in client.instructions
        await lists(client)
        await one_of_each(client)
        await completions(client)
        if not is_current:
            await changes(client, told)
            return
        async with client.listen(**{f"{which}_list_changed": True for which in LISTS}) as subscription:
            listening = asyncio.create_task(told.listen(subscription))
            await changes(client, told)
            listening.cancel()


for revision in ["2026-07-28", "2025-11-25"]:
    asyncio.run(check(revision))
    print(f"{revision}: fine")
