import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The text of a `SKILL.md`. */
export const skill = (name, body) => `---\nname: ${name}\ndescription: Use it for ${name}.\n---\n${body}\n`

/** Lays files out in a new directory, which goes with the process. */
export function tree(files) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'prowess-')))
  process.on('exit', () => rmSync(base, { recursive: true, force: true }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true })
    writeFileSync(join(base, path), content)
  }
  return base
}

/** The options that load a tree as a project, and nothing else of this machine. */
export const only = (base) => ({ project: base, home: join(base, 'home'), enterprise: join(base, 'enterprise') })

export const PDF = '.agents/skills/pdf/SKILL.md'

/** One skill with a file, and a shadowed, a duplicate, an invalid one. */
export const FILES = {
  [PDF]: skill('pdf', 'Fill the form in.'),
  '.agents/skills/pdf/references/fields.md': 'Fields: ä.\n',
  '.agents/skills/pdf/assets/logo.bin': Uint8Array.of(0xff, 0xfe, 0),
  'home/.agents/skills/pdf/SKILL.md': skill('pdf', 'Fill mine in.'),
  '.claude/skills/notes/SKILL.md': skill('notes', 'Sort the notes.'),
  'home/.agents/skills/notes/SKILL.md': skill('notes', 'Sort the notes.'),
  '.agents/skills/broken/SKILL.md': '---\nname: broken\n---\n',
}

/** A model's tool call in OpenAI's shape, and its answer. */
export const call = (id, name) => ({
  id,
  type: 'function',
  function: { name: 'activate_skill', arguments: JSON.stringify({ name }) },
})
export const called = (...calls) => ({ role: 'assistant', content: null, tool_calls: calls })
export const answered = (id, text) => ({ role: 'tool', tool_call_id: id, content: text })
