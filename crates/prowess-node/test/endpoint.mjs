import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'

/** The reply of a chat completion that activates a skill, and one that says something. */
export const activates = (id, name) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'activate_skill', arguments: JSON.stringify({ name }) } }],
})
/** Some servers write the list of calls where there are none, too. */
export const says = (content) => ({ role: 'assistant', content, tool_calls: [] })

/** Runs a program of this project in a tree, with a model that replies as given; its output, and the requests it made. */
export async function run(program, base, prompts, replies, env = {}) {
  const requests = []
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray()
    requests.push(JSON.parse(Buffer.concat(chunks)))
    const message = replies[requests.length - 1]
    const choice = { index: 0, message, finish_reason: message?.tool_calls.length ? 'tool_calls' : 'stop' }
    response.writeHead(message ? 200 : 400, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ id: 'x', object: 'chat.completion', created: 0, model: 'm', choices: [choice] }))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const OPENAI_BASE_URL = `http://127.0.0.1:${server.address().port}/v1`
  const child = spawn(process.execPath, [program, ...prompts], {
    cwd: base,
    env: { PATH: process.env.PATH, HOME: join(base, 'home'), OPENAI_API_KEY: 'none', OPENAI_BASE_URL, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors, code] = await Promise.all([
    child.stdout.toArray(),
    child.stderr.toArray(),
    new Promise((resolve) => child.once('close', resolve)),
  ])
  server.close()
  return { output: Buffer.concat(output).toString(), errors: Buffer.concat(errors).toString(), code, requests }
}
