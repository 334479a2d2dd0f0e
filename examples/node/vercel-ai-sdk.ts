// An agent with skills on the Vercel AI SDK: node vercel-ai-sdk.ts PROMPT...
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, jsonSchema, stepCountIs, tool, type ModelMessage } from 'ai'
import { Ledger, Library, placement } from 'prowess'

/** In tokens: what the model reads at the most, what the catalog may cost in every turn, and bodies after a compaction. */
const WINDOW = Number(process.env.WINDOW ?? 200_000)
const CATALOG = 4_000
const BODIES = 25_000

const provider = createOpenAICompatible({
  name: 'provider',
  baseURL: process.env.OPENAI_BASE_URL ?? 'http://127.0.0.1:11434/v1',
  apiKey: process.env.OPENAI_API_KEY,
})
const model = provider(process.env.MODEL ?? 'qwen3')
const library = await Library.load()
for (const { path, code, message } of library.diagnostics) console.error(`${path}: ${code}: ${message}`)

const system = `You are an agent.\n\n${library.catalog({ style: 'tool', budget: CATALOG }).text}`
const ledger = new Ledger()
const tools = Object.fromEntries(
  library.tools('mcp').map(({ name, description, inputSchema }) => [
    name,
    tool({
      description,
      inputSchema: jsonSchema<object>(inputSchema),
      // A body that the conversation holds is not delivered twice.
      execute: async (input, { toolCallId: id }) => (await library.dispatch({ id, name, input }, { ledger }))?.text,
    }),
  ]),
)
let messages: ModelMessage[] = []

for (const prompt of process.argv.slice(2)) console.log(await ask(prompt))

async function ask(prompt: string): Promise<string> {
  if (JSON.stringify(messages).length / 4 > WINDOW) await compact()
  messages.push({ role: 'user', content: prompt })
  const { text, response } = await generateText({
    model,
    system,
    messages,
    tools,
    stopWhen: stepCountIs(20),
    prepareStep: ({ messages }) => void ledger.reconcile(messages.flatMap(placements)),
  })
  messages.push(...response.messages)
  return text
}

/** Puts a summary in the place of all messages, and the bodies in force behind it. If the model fails, nothing has changed. */
async function compact(): Promise<void> {
  const wish = 'Sum up this conversation for yourself, to go on with it. Leave out the texts of skills: they come back whole.'
  const { text } = await generateText({ model, system, messages: [...messages, { role: 'user', content: wish }] })
  const bodies = ledger.pinned({ budget: BODIES })
  messages = [{ role: 'user', content: `Summary of the conversation so far:\n${text}` }]
  if (bodies) messages.push({ role: 'user', content: bodies })
}

/** Where a message holds texts that the ledger may know: the calls that it answers, or the message itself. */
function placements(message: ModelMessage): string[] {
  if (message.role === 'user' && typeof message.content === 'string') return [placement(message.content)]
  if (message.role !== 'tool') return []
  return message.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []))
}
