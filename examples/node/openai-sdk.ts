// An agent with skills on the OpenAI SDK: node openai-sdk.ts PROMPT...
import OpenAI from 'openai'
import { Ledger, Library } from 'prowess'

type Message = OpenAI.ChatCompletionMessageParam

const MODEL = process.env.MODEL ?? 'gpt-5'
/** In tokens: what the model reads at the most, what the catalog may cost in every turn, and bodies after a compaction. */
const WINDOW = Number(process.env.WINDOW ?? 200_000)
const CATALOG = 4_000
const BODIES = 25_000

const openai = new OpenAI()
const library = await Library.load()
for (const { path, code, message } of library.diagnostics) console.error(`${path}: ${code}: ${message}`)

// The catalog is the same in every request, so that the provider's cache holds.
const catalog = library.catalog({ style: 'tool', budget: CATALOG })
const tools = library.tools('openai')
const ledger = new Ledger()
let messages: Message[] = [{ role: 'system', content: `You are an agent.\n\n${catalog.text}` }]

for (const prompt of process.argv.slice(2)) console.log(await ask(prompt))

async function ask(prompt: string): Promise<string> {
  // What the user names is delivered without asking the model.
  for (const { id, arguments: given } of library.mentions(prompt)) {
    const body = await library.activate(id, { ledger, arguments: given })
    messages.push({ role: 'user', content: body.text })
  }
  messages.push({ role: 'user', content: prompt })
  if (JSON.stringify(messages).length / 4 > WINDOW) await compact()
  for (;;) {
    ledger.reconcile(messages)
    const message = await complete(messages)
    messages.push(message)
    if (!message.tool_calls?.length) return message.content ?? ''
    for (const call of message.tool_calls) {
      // A body that the conversation holds is not delivered twice. Tools of the host's own come back as null.
      const answer = await library.dispatch(call, { ledger })
      messages.push({ role: 'tool', tool_call_id: call.id, content: answer?.text ?? 'There is no such tool.' })
    }
  }
}

/** Puts a summary in the place of what is old. If the model fails, nothing has changed. */
async function compact(): Promise<void> {
  const compaction = ledger.planCompaction(messages, { budget: BODIES, keep: WINDOW / 10 })
  const wish = `Sum up this conversation for yourself, to go on with it. ${compaction.hint}`
  const summary = await complete([...compaction.leaving, { role: 'user', content: wish }])
  messages = compaction.apply({ summary: summary.content ?? '' })
}

async function complete(messages: Message[]): Promise<OpenAI.ChatCompletionMessage> {
  const request = { model: MODEL, messages, ...(tools.length ? { tools } : {}) }
  return (await openai.chat.completions.create(request)).choices[0].message
}
