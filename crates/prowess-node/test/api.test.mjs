import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import * as esm from 'prowess'

import { FILES, PDF, answered, call, called, only, skill, tree } from './support.mjs'

const { Ledger, Library, placement } = esm

test('require and import give the same', () => {
  const cjs = createRequire(import.meta.url)('prowess')
  assert.equal(cjs.Library, Library)
  assert.equal(cjs.Ledger, Ledger)
})

test('a load accounts for every file', async () => {
  const base = tree(FILES)
  const library = await Library.load(only(base))
  assert.deepEqual(library.skills.map(({ id }) => id), ['project:notes', 'project:pdf'])
  assert.equal(library.skills[1].location, join(base, PDF))
  assert.equal(library.shadowed[0].winner, join(base, PDF))
  assert.equal(library.duplicates.length, 1)
  assert.deepEqual(library.invalid.map(({ code }) => code), ['missing-description'])
  assert.deepEqual(library.diagnostics.map(({ code }) => code).sort(), ['duplicate', 'missing-description', 'shadowed'])
  assert.equal(library.scan.skill_files, 5)
  assert.deepEqual(library.roots.filter(({ exists }) => exists).map(({ scope }) => scope), ['project', 'project', 'user'])
  assert.deepEqual(Library.loadSync(only(base)).skills, library.skills)
  assert.deepEqual(JSON.parse(JSON.stringify(library)).invalid, library.invalid)
  assert.match(library.summary(), /^2 skills;/)
})

test('options decide what is loaded', () => {
  const base = tree(FILES)
  const ids = (options) => Library.loadSync({ ...only(base), ...options }).skills.map(({ id }) => id)
  const visible = (options) => Library.loadSync({ ...only(base), ...options }).skills.map(({ visibility }) => visibility)
  assert.deepEqual(ids({ preset: 'claude' }), ['user:notes', 'user:pdf'])
  assert.deepEqual(ids({ roots: [['team', join(base, 'home')], ['+other', join(base, '.agents')]] }), [
    'team:notes',
    'other:pdf',
    'team:pdf',
  ])
  assert.deepEqual(ids({ folders: ['home/.agents/skills'], builtin: ['.claude/skills'] }), ['project:notes', 'project:pdf'])
  assert.deepEqual(ids({ maxDepth: 0 }), [])
  assert.deepEqual(visible({ disable: ['n*'] }), ['hidden', 'listed'])
  assert.deepEqual(visible({ policy: [{ pattern: 'p*', is: 'user-only' }] }), ['listed', 'user-only'])
  assert.deepEqual(visible({ trust: ['ask'] }), ['untrusted', 'untrusted'])
  assert.throws(() => Library.loadSync({ ...only(base), maxBody: 3 }).activateSync('pdf'), { code: 'body-too-large' })
})

test('a path is a library of its own', async () => {
  const base = tree(FILES)
  assert.deepEqual((await Library.loadPath(join(base, PDF))).skills.map(({ id }) => id), ['path:pdf'])
  await assert.rejects(Library.loadPath(join(base, 'none')), { code: 'io' })
})

test('a catalog has its costs', async () => {
  const library = await Library.load(only(tree(FILES)))
  const catalog = library.catalog()
  assert.match(catalog.text, /<name>pdf<\/name>/)
  assert.ok(catalog.tokens > catalog.skills[0].tokens)
  assert.match(library.catalog({ format: 'markdown', style: 'tool' }).text, /activate_skill/)
  assert.equal(library.catalog({ budget: 10 }).omitted, 2)
  assert.equal((await Library.load(only(tree({})))).catalog().text, '')
})

test('a body is delivered once, and again once it is gone', async () => {
  const library = await Library.load(only(tree(FILES)))
  const ledger = new Ledger()
  const first = await library.activate('pdf', { ledger, arguments: 'form.pdf' })
  assert.equal(first.status, 'new')
  assert.match(first.text, /Fill the form in\.[^]*<skill_arguments>form\.pdf/)
  ledger.reconcile([{ role: 'user', content: first.text }])
  assert.equal(library.activateSync('pdf', { ledger, placement: 'a' }).status, 'already-resident')
  ledger.reconcile([{ role: 'user', content: 'Hello.' }])
  assert.equal((await library.activate('pdf', { ledger, origin: 'model', placement: 'b' })).status, 'new')
  assert.deepEqual(ledger.protected, ['b'])
})

test('what is refused is an exception with candidates', async () => {
  const library = await Library.load({ ...only(tree(FILES)), policy: [{ pattern: 'notes', is: 'untrusted' }] })
  const unknown = { name: 'Error', code: 'unknown-skill', candidates: ['pdf'] }
  await assert.rejects(library.activate('pfd'), unknown)
  assert.throws(() => library.activateSync('pfd'), unknown)
  await assert.rejects(library.activate('notes'), { code: 'untrusted', candidates: [] })
})

test('a model gets an answer to every call', async () => {
  const library = await Library.load(only(tree(FILES)))
  const ledger = new Ledger()
  assert.equal((await library.dispatch(call('1', 'pdf'), { ledger })).status, 'new')
  const input = { name: 'pdf', path: 'references/fields.md' }
  assert.equal((await library.dispatch({ id: '2', name: 'read_skill_resource', input }, { ledger })).text, 'Fields: ä.\n')
  assert.equal(library.dispatchSync({ functionCall: { name: 'activate_skill', args: { name: 'pdf' } } }, { ledger, placement: '3' }).status, 'already-resident')
  const refused = await library.dispatch(call('3', 'none'), { ledger })
  assert.equal(refused.error.code, 'unknown-skill')
  assert.ok(refused.text.length > 0)
  assert.equal(await library.dispatch({ name: 'git_diff' }), null)
})

test('a request waits for the word of the user', async () => {
  const library = await Library.load(only(tree(FILES)))
  const ledger = new Ledger()
  const request = library.request(call('1', 'pdf'))
  assert.equal(request.skill, 'project:pdf')
  const denied = request.deny('not today')
  assert.equal(denied.status, 'denied')
  assert.match(denied.text, /not today/)
  await assert.rejects(request.deliver({ ledger }), { code: 'usage' })
  assert.equal((await library.request(call('2', 'pdf')).deliver({ ledger })).status, 'new')
  assert.equal(library.request(call('3', 'pdf')).deliverSync({ ledger }).status, 'already-resident')
  assert.equal(library.request(call('4', 'none')).skill, null)
  assert.equal(library.request({ name: 'git_diff' }), null)
})

test('tools come in four shapes', async () => {
  const library = await Library.load(only(tree(FILES)))
  assert.deepEqual(library.tools('openai')[0].function.parameters.properties.name.enum, ['notes', 'pdf'])
  assert.deepEqual(library.tools('anthropic').map(({ name }) => name), ['activate_skill', 'read_skill_resource'])
  assert.equal(library.tools('gemini')[0].functionDeclarations.length, 2)
  assert.deepEqual(library.tools('mcp')[1].inputSchema.required, ['name', 'path'])
})

test('resources are read in parts, as text and as bytes', async () => {
  const library = await Library.load(only(tree(FILES)))
  const { data, text, size } = await library.resource('pdf', 'references/fields', { offset: 8, length: 2 })
  assert.deepEqual([text, size, Buffer.from(data).toString()], ['ä', 12, 'ä'])
  const logo = library.resourceSync('pdf', 'assets/logo.bin')
  assert.deepEqual([logo.text, [...logo.data]], [null, [0xff, 0xfe, 0]])
  await assert.rejects(library.resource('pdf', '../../../home/x'), { code: 'not-confined' })
})

test('mentions, findings and reasons', async () => {
  const library = await Library.load(only(tree(FILES)))
  assert.deepEqual(library.mentions('/pdf a.pdf'), [{ id: 'project:pdf', mention: '/pdf', arguments: 'a.pdf' }])
  assert.deepEqual(library.frontmatter('pdf'), { name: 'pdf', description: 'Use it for pdf.' })
  assert.equal((await library.check()).errors, 1)
  assert.deepEqual((await library.why('broken')).entries.map(({ code }) => code), ['missing-description'])
})

test('a reload says what has changed', async () => {
  const base = tree(FILES)
  const library = await Library.load(only(base))
  mkdirSync(join(base, '.agents/skills/new'))
  writeFileSync(join(base, '.agents/skills/new/SKILL.md'), skill('new', 'New.'))
  appendFileSync(join(base, PDF), 'More.\n')
  const reload = await library.reload()
  assert.deepEqual([reload.added, reload.changed, reload.removed], [['project:new'], ['project:pdf'], []])
  assert.equal(reload.library.skills.length, 3)
  assert.equal(library.skills.length, 2)
  assert.match(reload.library.catalogDelta(library), /<name>new<\/name>/)
  assert.deepEqual(reload.library.reloadSync().changed, [])
})

/** A conversation that holds the body of `pdf`, and much else. */
async function conversation(library, ledger) {
  const { text } = await library.dispatch(call('1', 'pdf'), { ledger })
  const later = Array.from({ length: 9 }, (_, turn) => [
    { role: 'user', content: `Question ${turn}.` },
    { content: `Answer ${turn}. ${'Much is said. '.repeat(40)}`, role: 'assistant' },
  ])
  return [{ role: 'system', content: 'You help.' }, called(call('1', 'pdf')), answered('1', text), ...later.flat()]
}

test('a compaction keeps the body, and leaves the rest as it was', async () => {
  const library = await Library.load(only(tree(FILES)))
  const ledger = new Ledger()
  const messages = await conversation(library, ledger)
  ledger.reconcile(messages)
  const compaction = ledger.planCompaction(messages, { budget: 10_000, keep: 300 })
  assert.match(compaction.hint, /pdf/)
  assert.deepEqual([compaction.reattached, compaction.stubs, compaction.catalogLeaves], [['project:pdf'], [], false])
  assert.equal(compaction.tokens, compaction.toJSON().reattached_tokens)
  assert.deepEqual(compaction.leaving, messages.slice(1, 1 + compaction.leaving.length))
  const shorter = compaction.apply({ summary: 'Forms.' })
  assert.ok(shorter.length < messages.length)
  assert.match(shorter[1].content, /Forms\.[^]*Fill the form in\./)
  assert.equal(JSON.stringify(shorter.at(-1)), JSON.stringify(messages.at(-1)))
  assert.throws(() => compaction.apply({ summary: '' }), { code: 'usage' })
  ledger.reconcile(shorter)
  assert.equal((await library.dispatch(call('2', 'pdf'), { ledger })).status, 'already-resident')
})

test('bodies are one text for messages of another form', async () => {
  const library = await Library.load(only(tree(FILES)))
  const ledger = new Ledger()
  await library.dispatch(call('1', 'pdf'), { ledger })
  ledger.reconcile(['1'])
  const text = ledger.pinned({ budget: 10_000 })
  assert.match(text, /Fill the form in\./)
  ledger.reconcile([placement(text)])
  assert.deepEqual(ledger.protected, [placement(text)])
  ledger.reconcile([[placement(text), text.slice(1000)]])
  assert.deepEqual(ledger.protected, [])
})

test('a host whose model reads files says what it read', async () => {
  const base = tree(FILES)
  const library = await Library.load(only(base))
  const ledger = new Ledger()
  assert.deepEqual(library.readableRoots(), [join(base, '.claude/skills/notes'), join(base, '.agents/skills/pdf')])
  assert.equal(await ledger.observeRead(library, join(base, PDF), { placement: '1', lines: [1, 2] }), 'part-of-body')
  assert.equal(ledger.observeReadSync(library, join(base, PDF), { placement: '2' }), 'body')
  assert.deepEqual(ledger.protected, ['2'])
  ledger.relocate('2', '3')
  assert.deepEqual(ledger.protected, ['3'])
  ledger.forget('3')
  assert.deepEqual(ledger.protected, [])
})

test('skills are pinned, finished and turned off', async () => {
  const library = await Library.load(only(tree(FILES)))
  const ledger = new Ledger()
  await library.activate('pdf', { ledger, placement: '1' })
  ledger.pin('project:pdf')
  assert.equal(ledger.skills[0].pinned, true)
  ledger.unpin('project:pdf')
  assert.equal(ledger.finish('project:pdf'), true)
  assert.match(ledger.deactivate('project:pdf'), /turned off/)
  assert.equal(ledger.deactivate('project:none'), null)
  assert.deepEqual([ledger.skills[0].standing, ledger.protected], ['off', []])
})

test('a session forks, is saved and restored', async () => {
  const base = tree(FILES)
  const library = await Library.load(only(base))
  const ledger = new Ledger()
  await library.activate('pdf', { ledger, placement: '1' })
  assert.equal(ledger.fork().text, '')
  assert.match(ledger.fork({ inherit: 'names' }).text, /pdf/)
  const child = ledger.fork({ inherit: 'texts', budget: 1000 })
  assert.match(child.text, /Fill the form in\./)
  child.ledger.reconcile([{ role: 'user', content: child.text }])
  assert.equal((await library.activate('pdf', { ledger: child.ledger })).status, 'already-resident')

  const restored = await Ledger.restore(ledger.snapshot(), library)
  assert.deepEqual([restored.skills, restored.ledger.protected], [{ 'project:pdf': 'same' }, ['1']])
  appendFileSync(join(base, PDF), 'More.\n')
  const changed = Ledger.restoreSync(ledger.snapshot({ texts: false }), library, { present: [] })
  assert.deepEqual([changed.skills, changed.ledger.protected], [{ 'project:pdf': 'changed' }, []])
})
