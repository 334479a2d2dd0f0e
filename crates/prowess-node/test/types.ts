// Checked by `tsc --strict`, not run: what a host written in TypeScript relies on.
import type OpenAI from 'openai'
import { Compaction, Ledger, Library, Request } from 'prowess'
import type { Answer, Delivery, Diagnostic, ErrorCode, ProwessError, Reload, Tools } from 'prowess'

export async function load(): Promise<Library> {
  const roots = [['team', '/srv/skills'], ['+other', '/srv/other']] as const
  const library = await Library.load({ roots, policy: [{ scope: 'team', is: 'untrusted' }, { allow: 'a-*' }], maxDepth: 3 })
  const first: Diagnostic | undefined = library.diagnostics[0]
  const line: number | null | undefined = first?.line
  const { added }: Reload = library.reloadSync()
  return line && added.length ? Library.loadPath('skills') : library
}

export async function answer(library: Library, ledger: Ledger, call: OpenAI.ChatCompletionMessageToolCall): Promise<string> {
  const answer: Answer | null = await library.dispatch(call, { ledger })
  if (answer === null) return 'none of ours'
  if (answer.status === 'denied') return answer.error.candidates.join()
  if (answer.status === 'resource') return answer.text
  const delivery: Delivery = answer
  return delivery.metadata.protected ? delivery.id : delivery.text
}

export function tools(library: Library): OpenAI.ChatCompletionTool[] {
  const anthropic: Tools['anthropic'][] = library.tools('anthropic')
  const gemini = library.tools('gemini')[0].functionDeclarations[0].parameters
  return anthropic.length && gemini ? library.tools('openai') : []
}

export function compact(ledger: Ledger, messages: OpenAI.ChatCompletionMessageParam[]): OpenAI.ChatCompletionMessageParam[] {
  ledger.reconcile(messages)
  ledger.reconcile(['1', ['2', 'text']])
  ledger.reconcile({ messages }, { format: 'openai' })
  const compaction: Compaction = ledger.planCompaction(messages, { budget: 25_000 })
  return compaction.stubs.length ? compaction.apply({ summary: compaction.hint }) : messages
}

export function code(error: unknown): ErrorCode | undefined {
  return error instanceof Error && 'code' in error ? (error as ProwessError).code : undefined
}

export async function wrong(library: Library, ledger: Ledger): Promise<void> {
  // @ts-expect-error a misspelt option
  await Library.load({ projct: '.' })
  // @ts-expect-error a path that is bytes
  await Library.load({ project: Buffer.from('.') })
  // @ts-expect-error no shape
  library.tools('gpt')
  // @ts-expect-error no budget
  ledger.planCompaction([], {})
  // @ts-expect-error a diagnostic without help
  library.diagnostics[0]?.help.toUpperCase()
  // @ts-expect-error libraries come from `load`
  new Library()
  // @ts-expect-error requests come from a library
  new Request()
  // @ts-expect-error compactions come from a ledger
  new Compaction()
  // @ts-expect-error no ledger
  await library.activate('pdf', { ledger: {} })
}
