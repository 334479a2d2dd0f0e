// Asks a server everything that a client of the official TypeScript SDK can: over stdio if given a program, else over
// HTTP.
//
// usage: client.mjs PROGRAM-OR-URL PROJECT HOME

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [TARGET, PROJECT, HOME] = process.argv.slice(2);
const SKILLS = `${PROJECT}/.agents/skills`;
const NOT_SOON = 20_000;

function transport() {
  if (TARGET.startsWith("http")) return new StreamableHTTPClientTransport(new URL(TARGET));
  return new StdioClientTransport({
    command: TARGET,
    args: ["mcp", "--quiet", "--project", PROJECT, "--home", HOME],
  });
}

/** The lists as the SDK fetches them anew when the server says that they have changed, whatever the revision. */
class Changes {
  lists = new Map();
  #more = () => {};

  get handlers() {
    const handler = (which) => ({
      onChanged: (error, items) => {
        this.lists.set(which, error ?? items);
        this.#more();
      },
    });
    return { tools: handler("tools"), prompts: handler("prompts"), resources: handler("resources") };
  }

  /** Makes a change, and waits until all three lists have come anew and one of them is as it should be. */
  async after(change, isSeen) {
    this.lists.clear();
    const seen = new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`not told of a change: ${isSeen}`)), NOT_SOON);
      this.#more = () => {
        if (this.lists.size < 3 || !isSeen(this.lists)) return;
        clearTimeout(late);
        resolve();
      };
    });
    change();
    await seen;
  }
}

async function lists(client) {
  const names = (items) => items.map((item) => item.name);
  assert.deepEqual(names((await client.listTools()).tools), [
    "activate_skill",
    "read_skill_resource",
    "list_skills",
    "why_skill",
  ]);
  assert.deepEqual(names((await client.listPrompts()).prompts), ["forms"]);
  const { resources } = await client.listResources();
  assert.deepEqual(resources.map((resource) => resource.uri), ["skill://forms/SKILL.md"]);
}

async function oneOfEach(client) {
  const call = async (name, given) => {
    const { content, isError } = await client.callTool({ name, arguments: given });
    return [content[0].text, isError === true];
  };
  const [body, bodyFailed] = await call("activate_skill", { name: "forms" });
  assert(!bodyFailed && body.includes("\nFill them in.\n"), body);
  const [unknown, unknownFailed] = await call("activate_skill", { name: "form" });
  assert(unknownFailed && unknown.includes("did you mean `forms`?"), unknown);
  const part = await call("read_skill_resource", { name: "forms", path: "references/fields.md" });
  assert.deepEqual(part, ["Fields\n", false]);
  const { contents } = await client.readResource({ uri: "skill://forms/references/fields.md" });
  assert.equal(contents[0].text, "Fields\n");
  await assert.rejects(client.readResource({ uri: "skill://forms/../../etc/passwd" }));
  const { messages } = await client.getPrompt({ name: "forms", arguments: { arguments: "a.pdf" } });
  const { text } = messages[0].content;
  assert(text.includes("\nFill them in.\n") && text.includes("<skill_arguments>a.pdf</skill_arguments>"), text);
}

async function completions(client) {
  const { resourceTemplates } = await client.listResourceTemplates();
  const template = { type: "ref/resource", uri: resourceTemplates[0].uriTemplate };
  const complete = async (ref, name, value, context) => {
    const { completion } = await client.complete({ ref, argument: { name, value }, context });
    return completion.values;
  };
  assert.deepEqual(await complete(template, "skill", "fo"), ["forms"]);
  const inForms = { arguments: { skill: "forms" } };
  assert.deepEqual(await complete(template, "path", "ref", inForms), ["references/fields.md"]);
  assert.deepEqual(await complete({ type: "ref/prompt", name: "forms" }, "arguments", ""), []);
}

/** The Skills extension; the SDK compares the digest of each file that it reads, and the frontmatter. */
async function extension(client) {
  const skills = new SkillsClient(client);
  assert(skills.supported && skills.directoryRead);
  const [forms, ...more] = (await skills.list()).skills;
  assert.deepEqual([forms.uri, more.length], ["skill://forms/SKILL.md", 0]);
  assert.deepEqual((await skills.get(forms.uri)).skill, forms);
  const [manifest, fields] = [await skills.read(forms), await skills.read(forms, "references/fields.md")];
  assert(manifest.verified && manifest.body.includes("Fill them in."), manifest.body);
  assert(fields.verified && fields.text === "Fields\n", fields.text);
  const { resources } = await skills.readDirectory("skill://forms/references");
  assert.deepEqual(resources.map((resource) => resource.name), ["fields.md"]);
}

async function changes(client, told) {
  const [file, added] = [`${SKILLS}/forms/SKILL.md`, `${SKILLS}/new`];
  const before = readFileSync(file, "utf8");
  const offers = (text) => (lists) => lists.get("tools")[0].description.includes(text);
  const edited = before.replace("Fills in forms.", "Fills in visas.");
  await told.after(() => writeFileSync(file, edited), offers("Fills in visas."));
  const add = () => {
    mkdirSync(added);
    writeFileSync(`${added}/SKILL.md`, "---\nname: new\ndescription: Is new.\n---\nBody.\n");
  };
  await told.after(add, offers("Is new."));
  const { content } = await client.callTool({ name: "activate_skill", arguments: { name: "new" } });
  assert(content[0].text.includes("\nBody.\n"), content[0].text);
  await told.after(() => rmSync(added, { recursive: true }), (lists) => !offers("Is new.")(lists));
  await told.after(() => writeFileSync(file, before), offers("Fills in forms."));
}

for (const [revision, mode] of [
  ["2026-07-28", "auto"],
  ["2025-11-25", "legacy"],
]) {
  const told = new Changes();
  const options = { versionNegotiation: { mode }, listChanged: told.handlers };
  const client = new Client({ name: "test", version: "0" }, options);
  await client.connect(transport());
  assert.equal(client.getNegotiatedProtocolVersion(), revision);
  assert(client.getInstructions().includes("<name>forms</name>"));
  await lists(client);
  await oneOfEach(client);
  await completions(client);
  await extension(client);
  await changes(client, told);
  await client.close();
  console.log(`${revision}: fine`);
}
