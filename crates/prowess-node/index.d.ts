// Generated from the Rust sources.
import type * as types from './types'
export * from './types'

/**
 * Which binding artifact the generated loader actually loaded: `'native'` for
 * a native addon, otherwise the `platformArchABI` of the WASI flavor. Every
 * flavor napi-rs can build is listed, because `NAPI_RS_NATIVE_LIBRARY_PATH`
 * can point the loader at a WASI artifact this package does not build itself.
 */
export declare const __napiBindingTarget: 'native' | 'wasm32-wasi' | 'wasm32-wasip1'

/** A planned compaction. The ledger and the messages are as they were until it is applied. */
export declare class Compaction {
  /** Compactions come from `ledger.planCompaction`. */
  constructor(none: never)
  /** What to tell the summariser: which texts come back word by word and need no summary. Empty if there are none. */
  get hint(): string
  /** The messages that leave: what the summary is of. */
  get leaving(): any[]
  /** The ids of the skills whose bodies come back. */
  get reattached(): string[]
  /** The ids of the skills of which a line is left. */
  get stubs(): string[]
  /** Whether the catalog that `ledger.placeCatalog` spoke of leaves. */
  get catalogLeaves(): boolean
  /** What the bodies cost afterwards, in tokens: those that stay, and those that come back. */
  get tokens(): number
  /** The plan in the shape of `prowess compact --json`. */
  toJSON(): types.CompactionReport
  /** The shorter conversation, in the form it was given in, and one that its provider accepts. Tells the ledger. */
  apply<T = any[]>(options?: { summary?: string }): T
}

/**
 * The bodies that one session was given, and what has become of each.
 *
 * Messages are those of a provider, in the form of OpenAI or Anthropic. Which it is shows in them; `format` says it where
 * it does not.
 */
export declare class Ledger {
  /** The ledger of a session that begins. */
  constructor()
  /**
   * Says what the conversation holds now: to be called before each request to the model.
   *
   * `present` are its messages; or, for any other form, its placements, such as the ids of tool calls, each alone or
   * with its text. A text without the whole body counts as gone.
   */
  reconcile(present: types.Present, options?: types.FormatOptions): void
  /** Plans what leaves a conversation that has grown too long, and which bodies come back. Changes nothing yet. */
  planCompaction(messages: types.Messages, options: types.CompactionOptions): Compaction
  /** The placements that hold a body in force: what pruning must spare. */
  get protected(): Array<string>
  /** The skills of the session, the most recently used first. */
  get skills(): types.SessionSkill[]
  /** The session in the shape of `prowess session --json`. */
  toJSON(): types.Session
  /** Says that a skill, by its id, has served: the next compaction leaves a line of it. False if it is not in force. */
  finish(skill: string): boolean
  /** Turns a skill off, by its id, until the user turns it on; returns a note to place, null if it is unknown. */
  deactivate(skill: string): string | null
  /** Puts a skill, by its id, first when a budget is short. */
  pin(skill: string): void
  /** Takes a pin back. */
  unpin(skill: string): void
  /** Says that a text was never placed, such as the answer to a call that failed. */
  forget(placement: string): void
  /** Says that a text stands elsewhere than it was said to. */
  relocate(placement: string, to: string): void
  /** Says that the catalog stands in a message: `compaction.catalogLeaves` then tells when it must go there again. */
  placeCatalog(placement: string): void
  /** Says that the model read a file by itself: all of it, or a number of `lines` from a first one, which is 1. */
  observeRead(library: Library, path: string, options: types.ReadOptions): Promise<types.Observed>
  /** `observeRead` on this thread. */
  observeReadSync(library: Library, path: string, options: types.ReadOptions): types.Observed
  /**
   * Every body in force as one text, to place as a message of its own; for hosts that build their prompt anew for each
   * request, or whose messages have another form.
   */
  pinned(options: { budget: number }): string
  /**
   * The ledger of a child, and the text to place as a message of its own there; empty if nothing is inherited.
   *
   * What is off stays off; the child changes nothing here.
   */
  fork(options?: types.ForkOptions): types.Fork
  /** The session as JSON text. Without `texts` it is small, and `restore` reads unchanged bodies anew. */
  snapshot(options?: { texts?: boolean }): string
  /**
   * Takes a session up, with what has become of each skill since.
   *
   * Unless `present` is given, what the conversation held then is taken to be there still.
   */
  static restore(snapshot: string, library: Library, options?: types.RestoreOptions): Promise<types.Restored>
  /** `restore` on this thread. */
  static restoreSync(snapshot: string, library: Library, options?: types.RestoreOptions): types.Restored
}

/**
 * An immutable snapshot of one load: every `SKILL.md` that was seen, in one state, with a reason.
 *
 * A load never fails as a whole: what is wrong with a file is among the `diagnostics`. Every access to a list makes it
 * anew.
 */
export declare class Library {
  /** Libraries come from `Library.load`. */
  constructor(none: never)
  /** Finds every skill and reads its frontmatter. */
  static load(options?: types.LoadOptions): Promise<Library>
  /** `load` on this thread. */
  static loadSync(options?: types.LoadOptions): Library
  /** Loads what one path holds: a `SKILL.md`, a skill's directory, or a directory that is searched. */
  static loadPath(path: string, options?: types.LimitOptions): Promise<Library>
  /** `loadPath` on this thread. */
  static loadPathSync(path: string, options?: types.LimitOptions): Library
  /** Loads the same again, and compares. What was loaded before stays as it is. */
  reload(): Promise<types.Reload>
  /** `reload` on this thread. */
  reloadSync(): types.Reload
  /** The directories that were searched, highest first. */
  get roots(): types.Root[]
  /** The skills that bear their name, sorted by name. */
  get skills(): types.Skill[]
  /** The skills that lost their name to another. Their ids still reach them. */
  get shadowed(): types.Shadowed[]
  /** The identical copies of a skill. */
  get duplicates(): types.Duplicate[]
  /** The files that do not load. */
  get invalid(): types.Invalid[]
  /** Everything that was found wrong. */
  get diagnostics(): types.Diagnostic[]
  /** What the search touched. */
  get scan(): types.Scan
  /** All of these, in the shape of `prowess list --json`. */
  toJSON(): types.Listing
  /** A line for the log: how many skills there are, and what they cost. */
  summary(): string
  /** The text that a model sees every turn, and what it costs. Empty if no skill is listed. */
  catalog(options?: types.CatalogOptions): types.Catalog
  /** What a model must hear of a catalog that has changed since an earlier load. Empty if it has not. */
  catalogDelta(earlier: Library, options?: types.CatalogOptions): string
  /**
   * The definitions of `activate_skill` and `read_skill_resource`, in a provider's form: the value of a request's
   * `tools`. Empty if no skill is listed.
   */
  tools<F extends types.Provider>(format: F): types.Tools[F][]
  /** The skills that a user's prompt mentions as `/name` or `$name`, in their order, each once. */
  mentions(prompt: string): types.Mention[]
  /** Every entry of a skill's frontmatter, known or not, such as `allowed-tools`: data for the host. */
  frontmatter(name: string): Record<string, unknown>
  /** The directories that a host must let a model read. */
  readableRoots(): Array<string>
  /**
   * Delivers a body by name, id or, for the user, path.
   *
   * What is refused is an exception: `unknown-skill`, `ambiguous-name`, `untrusted`, `body-too-large`, ...
   */
  activate(name: string, options?: types.ActivateOptions): Promise<types.Delivery>
  /** `activate` on this thread. */
  activateSync(name: string, options?: types.ActivateOptions): types.Delivery
  /**
   * Turns a model's tool call, in the form of OpenAI, Anthropic, Gemini or MCP, into a request to be delivered or
   * denied; null if the tool is none of these.
   */
  request(call: object): Request | null
  /** Answers a model's tool call: `request` and `deliver` in one. What can't be met is answered as well. */
  dispatch(call: object, options?: types.DeliverOptions): Promise<types.Answer | null>
  /** `dispatch` on this thread. */
  dispatchSync(call: object, options?: types.DeliverOptions): types.Answer | null
  /** Reads a part of a file that a skill brings along, and nothing outside of the skill's directory. */
  resource(name: string, path: string, options?: types.ResourceOptions): Promise<types.Resource>
  /** `resource` on this thread. */
  resourceSync(name: string, path: string, options?: types.ResourceOptions): types.Resource
  /** What became of every `SKILL.md` that bears a name or could be meant by it, also where a load does not look. */
  why(name: string, options?: { budget?: number }): Promise<types.Explanation>
  /** `why` on this thread. */
  whySync(name: string, options?: { budget?: number }): types.Explanation
  /** Everything that is wrong, also what a load does not look for: dead links in bodies, descriptions too alike. */
  check(): Promise<types.Check>
  /** `check` on this thread. */
  checkSync(): types.Check
}

/** A model's call for a body or a file of a skill. Nothing is read before it is delivered; it is answered once. */
export declare class Request {
  /** Requests come from `library.request`. */
  constructor(none: never)
  /** The id of the skill it is about; null if none is meant, or none that a model may have. */
  get skill(): string | null
  /** Reads what is wanted. */
  deliver(options?: types.DeliverOptions): Promise<types.Answer>
  /** `deliver` on this thread. */
  deliverSync(options?: types.DeliverOptions): types.Answer
  /** Turns it down; the reason becomes text for the model. */
  deny(reason: string): types.Answer
}

/** The placement of a text that is a message of its own, such as one of the user. */
export declare function placement(text: string): string
