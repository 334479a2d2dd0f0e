import type { Ledger, Library } from './index'

/** Where skills are looked for, and within which limits. Paths are relative to the working directory. */
export interface LoadOptions extends LimitOptions {
  /** The project's directory; default: the working directory. */
  project?: string
  /** The user's home; default: `os.homedir()`. */
  home?: string
  /** The directory of the organisation's skills; default: `/etc/agents/skills`. */
  enterprise?: string
  /** The order of the default directories; default: `agents`, in which the project comes before the user. */
  preset?: 'agents' | 'claude'
  /** A host's own folders beside `.agents/skills` and `.claude/skills`. */
  folders?: readonly string[]
  /** The directories that a host brings along. */
  builtin?: readonly string[]
  /** Scopes and directories, highest first, instead of all these. `+scope` shares the rank of the one before. */
  roots?: readonly (readonly [scope: string, directory: string])[]
}

export interface LimitOptions {
  /** Patterns of skills to hide: a name or `scope:name`, with `*` and `?`. */
  disable?: readonly string[]
  /** More rules on who sees which skill. The strictest that matches counts. */
  policy?: readonly Rule[]
  /**
   * `ask`, `deny` or `allow`, for a scope as in `user=allow`. With `ask`, skills are out of a model's reach until the user
   * has allowed them, as they are, with the command `prowess trust`.
   */
  trust?: readonly string[]
  /** How many levels below a root are searched; default: 5. */
  maxDepth?: number
  /** How many directories below a root are searched; default: 2,000. */
  maxDirectories?: number
  /** The largest body that is activated, in bytes; default: 1 MiB. */
  maxBody?: number
}

export type Rule =
  | { scope: string; is: Exclude<Visibility, 'listed'> }
  | { pattern: string; is: Exclude<Visibility, 'listed'> }
  | { allow: string }

export type Visibility = 'listed' | 'user-only' | 'hidden' | 'untrusted'

export interface Root {
  path: string
  scope: string
  rank: number
  exists: boolean
}

export interface Skill {
  /** `scope:name`, unique in a library. */
  id: string
  name: string
  description: string
  scope: string
  /** The path of its `SKILL.md`. */
  location: string
  directory: string
  catalog_tokens: number
  body_bytes: number
  visibility: Visibility
  user_invocable: boolean
}

export interface Shadowed {
  id: string
  name: string
  location: string
  /** The location of the skill that has the name. */
  winner: string
}

export interface Duplicate {
  location: string
  /** The location of the skill it is a copy of. */
  of: string
}

export interface Invalid {
  location: string
  code: string
}

/** Something that the author of a skill can fix. */
export interface Diagnostic {
  code: string
  severity: 'error' | 'warning' | 'info'
  path: string
  line: number | null
  column: number | null
  message: string
  help: string | null
  related: string[]
}

export interface Scan {
  directories: number
  skill_files: number
  limits_hit: { limit: string; path: string }[]
  elapsed_us: number
}

/** The shape of `prowess list --json`. */
export interface Listing {
  roots: Root[]
  skills: Skill[]
  shadowed: Shadowed[]
  duplicates: Duplicate[]
  invalid: Invalid[]
  diagnostics: Diagnostic[]
  scan: Scan
}

/** What a reload found different, by the skills' ids. */
export interface Reload {
  library: Library
  added: string[]
  changed: string[]
  removed: string[]
}

export interface CatalogOptions {
  /** The most that the text may cost, in tokens; default: no limit. */
  budget?: number
  format?: 'xml' | 'markdown' | 'json'
  /** How the model opens a skill: by reading its file, the default, or by calling `activate_skill`. */
  style?: 'file' | 'tool'
  /** Ids or names of skills to keep as long as the budget allows. */
  pins?: readonly string[]
  /** The length in characters that descriptions are cut to first; default: 500. */
  cap?: number
  /** The length in characters that is left of descriptions; default: 60. */
  floor?: number
}

export interface Catalog {
  /** What goes into the system prompt; empty if no skill is listed. */
  text: string
  tokens: number
  /** What all bodies would cost. */
  body_tokens: number
  skills: { id: string; tokens: number; share: number; shown: 'full' | 'shortened' | 'name-only' | 'omitted' }[]
  omitted: number
}

export interface ActivateOptions {
  /** The session's account: a body that the conversation holds is not delivered twice. */
  ledger?: Ledger
  /** Who asks; default: the user. For a model a name is never a path. */
  origin?: 'user' | 'model'
  /** The user's arguments. They stand behind the body, never in it. */
  arguments?: string
  /** Where the text will stand: the id of a tool call, or a word of the host's own. Default: as a text of its own. */
  placement?: string
}

export interface DeliverOptions {
  ledger?: Ledger
  /** Where the answer will stand; default: the call's id. */
  placement?: string
}

/** A body that was activated. */
export interface Delivery {
  status: 'new' | 'already-resident' | 'changed'
  /** The text for the conversation: the body, or a short note that it is there already. */
  text: string
  tokens: number
  id: string
  digest: string
  directory: string
  /** The marker for the host: whether to keep the text when it prunes. */
  metadata: { protected: boolean; skill: string; digest: string }
  resources: string[]
  resources_total: number
}

/** What a model's tool call came to. */
export type Answer =
  | (Delivery & { error?: undefined })
  | { status: 'resource'; text: string; tokens: number; error?: undefined }
  | { status: 'denied'; text: string; tokens: number; error: { code: string; message: string; candidates: string[] } }

/** The exceptions of this package: `code` is kebab-case, `candidates` is what could have been meant. */
export interface ProwessError extends Error {
  code: ErrorCode
  candidates: string[]
}

export type ErrorCode =
  | 'unknown-skill'
  | 'ambiguous-name'
  | 'user-only'
  | 'model-only'
  | 'denied'
  | 'untrusted'
  | 'body-too-large'
  | 'not-confined'
  | 'unknown-resource'
  | 'io'
  | 'usage'

export interface ResourceOptions {
  /** The first byte; default: 0. */
  offset?: number
  /** How many bytes; 1 MiB at most. */
  length?: number
}

export interface Resource {
  /** The skill's id. */
  skill: string
  path: string
  location: string
  offset: number
  length: number
  /** The size of the whole file. */
  size: number
  /** Null if the part is no UTF-8. */
  text: string | null
  data: Uint8Array
}

export interface Explanation {
  query: string
  entries: {
    location: string
    id: string | null
    state: string
    code: string | null
    reason: string
    help: string
  }[]
  near: string[]
}

export interface Check {
  diagnostics: Diagnostic[]
  files: number
  errors: number
  warnings: number
}

export interface Mention {
  id: string
  /** As it stands in the prompt. */
  mention: string
  /** What follows it, if the prompt begins with it. */
  arguments: string
}

export type Provider = keyof Tools

/** A tool definition, by provider. */
export interface Tools {
  openai: { type: 'function'; function: { name: string; description: string; parameters: Schema } }
  anthropic: { name: string; description: string; input_schema: Schema }
  gemini: { functionDeclarations: { name: string; description: string; parameters: Schema }[] }
  mcp: { name: string; description: string; inputSchema: Schema; annotations: { readOnlyHint: boolean } }
}

export interface Schema {
  type: 'object'
  properties: Record<string, { type: 'string' | 'integer'; description: string; enum?: string[] }>
  required: string[]
  [key: string]: unknown
}

/** Messages in the form of OpenAI or Anthropic, or the body of a request that holds them. */
export type Messages = readonly object[] | { messages: readonly object[] }

/** What a conversation holds: its messages, or its placements, each alone or with its text. */
export type Present = Messages | readonly (string | readonly [placement: string, text: string])[]

export interface FormatOptions {
  /** The form of the messages; default: what they look like. */
  format?: 'openai' | 'anthropic'
}

export interface RestoreOptions extends FormatOptions {
  /** What the conversation holds now; default: what it held then. */
  present?: Present
}

export interface ReadOptions {
  /** Where the text of the file will stand. */
  placement: string
  /** The first line that was read, and how many; default: all. */
  lines?: readonly [first: number, count: number]
}

export type Observed = 'body' | 'part-of-body' | 'resource' | 'nothing'

export interface CompactionOptions extends FormatOptions {
  /** What bodies may cost afterwards, in tokens; one that has no room leaves a line that says how to get it again. */
  budget: number
  /** About how many tokens of the newest messages stay; default: 8,000. */
  keep?: number
  /** The number of the first message that stays, instead of `keep`. */
  cut?: number
}

export interface CompactionReport {
  blocks: { kind: 'body' | 'stubs'; skills: string[]; text: string; tokens: number }[]
  /** The skills whose bodies come back. */
  reattached: string[]
  /** The skills that become a line. */
  stubs: string[]
  /** Texts that are no longer in force, with what stands in their place. */
  stale: { placement: string; skill: string; note: string }[]
  hint: string
  catalog_leaves: boolean
  kept_tokens: number
  reattached_tokens: number
}

export interface ForkOptions {
  inherit?: 'nothing' | 'names' | 'texts'
  /** What the texts may cost, in tokens. */
  budget?: number
}

export interface Fork {
  ledger: Ledger
  text: string
}

export interface Restored {
  ledger: Ledger
  /** What has become of each skill, by its id. */
  skills: Record<string, 'same' | 'changed' | 'gone' | 'not-visible'>
}

export interface SessionSkill {
  id: string
  name: string
  standing: 'active' | 'finished' | 'off' | 'withdrawn'
  in_force: boolean
  state: ReceiptState | null
  placement: string | null
  digest: string | null
  tokens: number
  stub: boolean
  pinned: boolean
  reads: string[]
}

export interface Session {
  skills: SessionSkill[]
  receipts: {
    skill: string
    kind: 'delivered' | 'observed' | 'reattached' | 'stub'
    state: ReceiptState
    placement: string
    turn: number
    tokens: number
  }[]
  catalog_present: boolean
}

export type ReceiptState = 'pending' | 'resident' | 'evicted' | 'superseded' | 'off'
