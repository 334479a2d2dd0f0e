#!/usr/bin/env node
// Asks the npm package `prowess`: adapters/prowess_node.mjs [PACKAGE]. A question per line on stdin, an answer per line on stdout.
// Each is asked twice, through a promise and without one, and both must say the same.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const { Library } = createRequire(import.meta.url)(process.argv[2] ?? 'prowess')

/** Loads as the case says; calls a method and its form without a promise. */
async function ask(asked, method, ...given) {
  const { project, home, enterprise, preset, disable, policy, limits, tree } = asked
  const roots = asked.roots?.map((root) => root.split('=')).map(([scope, directory]) => [scope, join(tree, directory)])
  const { depth: maxDepth, directories: maxDirectories } = limits ?? {}
  const options = { project, home, enterprise, roots, preset, disable, policy, maxDepth, maxDirectories }
  const library = await Library.load(options)
  if (!method) return library
  const answer = await attempt(() => library[method](...given))
  assert.deepEqual(await attempt(() => Library.loadSync(options)[`${method}Sync`](...given)), answer)
  return answer
}

async function attempt(call) {
  try {
    return await call()
  } catch ({ code, message, candidates }) {
    return { error: { code, message, candidates } }
  }
}

const questions = {
  list: ask,
  async catalog(asked) {
    const { budget, format, style, pin: pins } = asked
    return (await ask(asked)).catalog({ budget, format, style, pins })
  },
  tools: async (asked) => (await ask(asked)).tools(asked.provider),
  mentions: async (asked) => (await ask(asked)).mentions(asked.prompt),
  activate: (asked) => ask(asked, 'activate', asked.name, { origin: asked.origin, arguments: asked.arguments }),
  async resource(asked) {
    const { name, path, offset, length } = asked
    const { data, ...answer } = await ask(asked, 'resource', name, path, { offset, length })
    return answer
  },
  async call(asked) {
    const answer = await ask(asked, 'dispatch', { name: asked.tool, arguments: asked.arguments })
    return answer ?? { status: 'not-ours' }
  },
  why: (asked) => ask(asked, 'why', asked.name, { budget: asked.budget }),
  async check(asked) {
    const { tree, paths } = asked
    if (!paths) return ask(asked, 'check')
    const checks = paths.map(async (path) => (await Library.loadPath(join(tree, path))).check())
    return together(await Promise.all(checks))
  },
}

/** The checks of several paths as one. */
function together(checks) {
  const total = (count) => checks.reduce((sum, check) => sum + check[count], 0)
  const diagnostics = checks.flatMap((check) => check.diagnostics)
  return { diagnostics, files: total('files'), errors: total('errors'), warnings: total('warnings') }
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line)
  const question = questions[asked.ask]
  const answer = question ? await attempt(() => question(asked)) : { unsupported: `no question: ${asked.ask}` }
  console.log(JSON.stringify(answer))
}
