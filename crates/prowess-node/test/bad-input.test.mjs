import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Compaction, Ledger, Library, Request, placement } from 'prowess'

import { FILES, answered, call, called, only, tree } from './support.mjs'

const base = tree(FILES)
const library = Library.loadSync(only(base))
const USAGE = { name: 'Error', code: 'usage' }
const hostile = new Proxy({}, { get: thrower, ownKeys: thrower, has: thrower })
const FIRST = { role: 'user', content: 'Hello.' }
const halfWay = [FIRST, { role: 'user', get content() { return thrower() } }]
const ring = { role: 'user' }
ring.content = [ring]
const deep = Array.from({ length: 50_000 }).reduce((inner) => [inner], [])

function thrower() {
  throw new RangeError('half-way')
}

/** Each is no text. */
const NO_TEXT = [undefined, null, 1, 10n, Symbol('s'), {}, [], () => {}, Buffer.from('pdf'), new Date(NaN)]
/** Each is no object of options. */
const NO_OPTIONS = [null, 1, 'pdf', true, [], () => {}, { unknown: 1 }]
/** Each is no conversation. */
const NO_MESSAGES = [undefined, null, 1, 'text', {}, { messages: 1 }, [1], ['1', 2], [{}], [{ role: 'oracle' }], [null], new Set(['1'])]

/** What is given is an exception of JavaScript's: the usage error, or the engine's own. */
async function refuses(what, functions) {
  for (const call of functions) {
    await assert.rejects(async () => call(what), (error) => error.code === 'usage' || error instanceof TypeError, String(call))
  }
}

test('what is no text', async () => {
  const ledger = new Ledger()
  for (const value of NO_TEXT) {
    await refuses(value, [
      (it) => Library.loadPath(it),
      (it) => library.activate(it),
      (it) => library.activateSync(it),
      (it) => library.why(it),
      (it) => library.resource(it, 'references/fields.md'),
      (it) => library.resourceSync('pdf', it),
      (it) => library.mentions(it),
      (it) => library.tools(it),
      (it) => ledger.finish(it),
      (it) => ledger.deactivate(it),
      (it) => ledger.pin(it),
      (it) => ledger.relocate('1', it),
      (it) => library.request(call('1', 'pdf')).deny(it),
      (it) => library.frontmatter(it),
      (it) => Ledger.restore(it, library),
      (it) => ledger.observeRead(library, it, { placement: '1' }),
      (it) => placement(it),
    ])
  }
})

test('what is no option', async () => {
  const ledger = new Ledger()
  for (const value of NO_OPTIONS) {
    await refuses(value, [
      (it) => Library.load(it),
      (it) => Library.loadSync(it),
      (it) => library.catalog(it),
      (it) => library.activate('pdf', it),
      (it) => library.dispatch(call('1', 'pdf'), it),
      (it) => library.resource('pdf', 'references/fields.md', it),
      (it) => ledger.reconcile([], it),
      (it) => ledger.planCompaction([], it),
      (it) => ledger.planCompaction([], { budget: 1 }).apply(it),
      (it) => ledger.pinned(it),
      (it) => ledger.observeRead(library, base, it),
      (it) => Ledger.restore(ledger.snapshot(), library, it),
      (it) => ledger.fork(it),
      (it) => ledger.snapshot(it),
    ])
  }
  for (const [key, values] of Object.entries({
    project: [null, 1, '', Buffer.from(base), ['a']],
    roots: [null, 'a', [['user']], [['user', 1]], [['No Label', base]], { user: base }],
    preset: [null, 'gpt', 1],
    disable: ['n*', [1], ['[']],
    policy: [{}, [{}], [{ scope: 'user', is: 'gone' }]],
    trust: ['ask', ['perhaps'], [1]],
    maxDepth: [-1, 1.5, NaN, Infinity, '1', 2 ** 64],
  })) {
    for (const value of values) await assert.rejects(Library.load({ ...only(base), [key]: value }), USAGE, `${key}: ${value}`)
  }
  for (const budget of [-1, NaN, '10', null]) assert.throws(() => library.catalog({ budget }), USAGE)
})

test('without a home nothing is allowed', async () => {
  const { HOME } = process.env
  process.env.HOME = 'relative'
  try {
    assert.throws(() => Library.loadSync({ trust: ['ask'] }), { ...USAGE, message: /trust store/ })
    assert.throws(() => Library.loadPathSync(base, { trust: ['ask'] }), { ...USAGE, message: /trust store/ })
  } finally {
    process.env.HOME = HOME
  }
})

test('what is no conversation', async () => {
  const ledger = new Ledger()
  for (const value of NO_MESSAGES) {
    await refuses(value, [
      (it) => ledger.reconcile(it),
      (it) => ledger.planCompaction(it, { budget: 1 }),
    ])
    if (value !== undefined) await refuses(value, [(it) => Ledger.restore(ledger.snapshot(), library, { present: it })])
  }
  assert.throws(() => ledger.reconcile([called(call('1', 'pdf'))]), USAGE)
  assert.throws(() => ledger.reconcile([{ role: 'user', content: 'Hello.' }], { format: 'gemini' }), USAGE)
})

test('what is no ledger, and no library', async () => {
  for (const ledger of [null, {}, 'x', library, Object.create(Ledger.prototype), new Proxy(new Ledger(), {})]) {
    await assert.rejects(library.activate('pdf', { ledger }), USAGE)
  }
  for (const it of [undefined, null, {}, new Ledger()]) {
    await assert.rejects(Ledger.restore(new Ledger().snapshot(), it), USAGE)
    await assert.rejects(new Ledger().observeRead(it, base, { placement: '1' }), USAGE)
    assert.throws(() => library.catalogDelta(it), USAGE)
  }
  for (const Class of [Library, Request, Compaction]) assert.throws(() => new Class(), USAGE)
  assert.throws(() => Ledger.prototype.snapshot.call({}), TypeError)
  for (const snapshot of ['', '{}', '{"prowess_session": 9}']) {
    await assert.rejects(Ledger.restore(snapshot, library), USAGE)
  }
})

test('what is no tool call', async () => {
  for (const it of [undefined, null, 1, [], {}, { name: 1 }, { function: 'x' }]) {
    await assert.rejects(library.dispatch(it), USAGE)
    assert.throws(() => library.request(it), USAGE)
  }
  // Without an id it is not known where the answer will stand.
  await assert.rejects(library.dispatch({ name: 'activate_skill', input: { name: 'pdf' } }, { ledger: new Ledger() }), USAGE)
  // What the model got wrong is said to the model.
  for (const written of ['{', 1, [], null]) {
    const answer = await library.dispatch({ name: 'activate_skill', arguments: written })
    assert.equal(answer.error.code, 'usage')
  }
})

test('a URL is no path, and is not taken for one', async () => {
  const url = pathToFileURL(base)
  for (const options of [{ project: url }, { home: url }, { enterprise: url }, { folders: [url] }, { builtin: [url] }, { roots: [['team', url]] }]) {
    await assert.rejects(Library.load({ ...only(base), ...options }), { ...USAGE, message: /fileURLToPath/ }, Object.keys(options)[0])
  }
  await assert.rejects(Library.loadPath(url), USAGE)
  await assert.rejects(new Ledger().observeRead(library, url, { placement: '1' }), USAGE)
  assert.deepEqual(Library.loadSync({ ...only(base), project: './file://x' }).invalid, [])
})

test('lone surrogates are refused, whole ones are not', async () => {
  const ledger = new Ledger()
  for (const lone of ['\ud83d', 'x\udc00']) {
    await assert.rejects(library.activate(lone), USAGE)
    await assert.rejects(Library.load({ project: lone }), USAGE)
    assert.throws(() => ledger.reconcile([{ role: 'user', content: lone }]), USAGE)
  }
  const cut = { role: 'user', content: 'Look: 😀'.slice(0, -1) }
  for (const [messages, place] of [[[FIRST, cut], '[1].content'], [{ messages: [cut] }, 'messages[0].content']]) {
    const said = (error) => error.code === 'usage' && error.message.includes(`\`${place}\``) && /surrogate/.test(error.message)
    assert.throws(() => ledger.reconcile(messages), said)
    assert.throws(() => ledger.planCompaction(messages, { budget: 1 }), said)
  }
  await assert.rejects(library.activate('😀'), { code: 'unknown-skill' })
  ledger.reconcile([{ role: 'user', content: '😀' }])
})

test('what throws half-way is thrown on, and locks nothing', async () => {
  const ledger = new Ledger()
  const half = { name: 'RangeError', message: 'half-way' }
  for (const value of [hostile, halfWay]) {
    assert.throws(() => ledger.reconcile(value), half)
    assert.throws(() => ledger.planCompaction(value, { budget: 1 }), half)
    await assert.rejects(Ledger.restore(new Ledger().snapshot(), library, { present: value }), half)
  }
  for (const options of [hostile, { get ledger() { return thrower() } }, { ledger, get origin() { return thrower() } }]) {
    await assert.rejects(library.activate('pdf', options), half)
    assert.throws(() => library.activateSync('pdf', options), half)
    await assert.rejects(library.dispatch(call('1', 'pdf'), options), half)
  }
  let reads = 0
  const fickle = { get ledger() { return reads++ ? thrower() : ledger } }
  assert.equal((await library.dispatch(call('1', 'pdf'), fickle)).status, 'new')
  await assert.rejects(library.dispatch(hostile), half)
  await assert.rejects(library.activate({ toJSON: thrower }), half)
  assert.throws(() => ledger.reconcile({ messages: { toJSON() { throw 'no error' } } }))
  // A getter that uses the ledger it is read for.
  ledger.reconcile([{ role: 'user', get content() { ledger.reconcile([]); return 'Hello.' } }])
  assert.equal((await library.activate('pdf', { ledger })).status, 'new')
})

test('rings and depths end', async () => {
  const ledger = new Ledger()
  assert.throws(() => ledger.reconcile([ring]), TypeError)
  assert.throws(() => ledger.reconcile(deep), (error) => error instanceof RangeError || error.code === 'usage')
  await assert.rejects(library.activate('pdf', deep))
  assert.throws(() => ledger.reconcile([{ role: 'user', content: 10n }]), TypeError)
})

test('a huge conversation', async () => {
  const ledger = new Ledger()
  const { text } = await library.dispatch(call('1', 'pdf'), { ledger })
  const rest = Array.from({ length: 100_000 }, (_, turn) => ({ role: turn % 2 ? 'assistant' : 'user', content: `Turn ${turn}.` }))
  const messages = [called(call('1', 'pdf')), answered('1', text), ...rest]
  ledger.reconcile(messages)
  const shorter = ledger.planCompaction(messages, { budget: 1000, keep: 100 }).apply({ summary: 'Short.' })
  assert.ok(shorter.length < 100)
  assert.match(shorter[0].content, /Fill the form in\./)
})
