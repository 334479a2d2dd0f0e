import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { activates, run, says } from './endpoint.mjs'
import { FILES, tree } from './support.mjs'

const project = fileURLToPath(new URL('..', import.meta.url))
const BODY = /Fill the form in\./g
const LONG = 'Much is said about it. '.repeat(100)

/** The texts of a request's messages. */
const texts = ({ messages }) => messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
const answer = (request) => texts(request).at(-1)
const bodies = (request) => texts(request).join('\n').match(BODY)?.length ?? 0

/** A model that activates twice, talks long, sums up, and activates again. */
const REPLIES = [activates('1', 'pdf'), activates('2', 'pdf'), says(LONG), says('Forms.'), activates('3', 'pdf'), says('Bye.')]

for (const recipe of ['openai-sdk', 'vercel-ai-sdk']) {
  test(`${recipe}: catalog, activation, one body, and a compaction that keeps it`, async () => {
    const program = join(project, 'build', `${recipe}.js`)
    const { output, errors, code, requests } = await run(program, tree(FILES), ['Fill in.', 'Go on.'], REPLIES, { WINDOW: '500' })
    assert.equal(code, 0, errors)
    assert.match(output, /Much is said[^]*Bye\./)
    assert.match(errors, /missing-description/)
    const [first, second, third, summary, after, last] = requests
    assert.match(texts(first)[0], /<name>pdf<\/name>/)
    assert.deepEqual(first.tools.map((tool) => tool.function.name), ['activate_skill', 'read_skill_resource'])
    assert.match(answer(second), BODY)
    assert.match(answer(third), /already/)
    assert.match(answer(summary), /^Sum up/)
    assert.deepEqual(requests.map(bodies), [0, 1, 1, 1, 1, 1])
    assert.match(texts(after).join('\n'), /Forms\./)
    assert.ok(!JSON.stringify(after).includes('Much is said'))
    assert.match(answer(last), /already/)
  })
}

test('openai-sdk: a mention is delivered without asking the model', async () => {
  const program = join(project, 'build/openai-sdk.js')
  const { errors, code, requests } = await run(program, tree(FILES), ['/pdf a.pdf'], [activates('1', 'pdf'), says('Done.')])
  assert.equal(code, 0, errors)
  assert.deepEqual(requests.map(bodies), [1, 1])
  assert.match(answer(requests[1]), /already/)
})

test('the lines of the README run as they stand', async () => {
  const readme = readFileSync(join(createRequire(import.meta.url).resolve('prowess'), '../README.md'), 'utf8')
  const [, lines] = readme.match(/```js\n([^]*?)```/)
  const program = join(project, 'build/readme.mjs')
  writeFileSync(program, lines)
  const { output, errors, code, requests } = await run(program, tree(FILES), ['Fill in.'], [activates('1', 'pdf'), says('Done.')])
  assert.equal(code, 0, errors)
  assert.equal(output, 'Done.\n')
  assert.deepEqual(requests.map(bodies), [0, 1])
})
