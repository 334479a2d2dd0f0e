// Load and catalog over 1,000 skills: this package beside the same work done with fast-glob and gray-matter.
// Runs where all three are installed: `cargo xtask bench-node`. Prints medians of alternating rounds, and their ratio.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastGlob from 'fast-glob'
import matter from 'gray-matter'
import { Library } from 'prowess'

const SKILLS = 1_000
const ROUNDS = 31
const ROOT = '.agents/skills'

/** Skills of two to twelve kilobytes, each with files of its own, in folders by tens. */
function lay() {
  const base = mkdtempSync(join(tmpdir(), 'prowess-bench-'))
  for (let number = 0; number < SKILLS; number++) {
    const name = `skill-${number}`
    const directory = join(base, ROOT, `group-${number % 10}`, name)
    mkdirSync(join(directory, 'references'), { recursive: true })
    mkdirSync(join(directory, 'scripts'))
    const description = `Use it when a task is about subject ${number}, and for nothing else.`
    const body = `# Subject ${number}\n\n${'A line that says what to do about it.\n'.repeat(50 + (number % 7) * 45)}`
    writeFileSync(join(directory, 'SKILL.md'), `---\nname: ${name}\ndescription: ${description}\nlicense: MIT\n---\n${body}`)
    writeFileSync(join(directory, 'references/notes.md'), 'Notes.\n')
    writeFileSync(join(directory, 'scripts/run.sh'), 'exit 0\n')
  }
  return base
}

const escaped = (text) => text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign])

function section(skills) {
  skills.sort((one, other) => (one.name < other.name ? -1 : 1))
  const entries = skills.map(
    ({ name, description, location }) =>
      `<skill><name>${escaped(name)}</name><description>${escaped(description)}</description><location>${location}</location></skill>`,
  )
  return `<available_skills>\n${entries.join('\n')}\n</available_skills>\n`
}

/** What a loader of one's own does, and no more of it: no diagnostics, no collisions, no repairs. */
const PATTERN = '**/SKILL.md'
const GLOB = { absolute: true, dot: true, ignore: ['**/node_modules/**', '**/.git/**'] }

function entry(location, text) {
  // Without options gray-matter keeps what it has parsed, and a second round would measure that.
  const { data } = matter(text, {})
  return { name: data.name, description: data.description, location }
}

const ways = {
  'prowess, promise': async (_, options) => (await Library.load(options)).catalog().text,
  'prowess, sync': (_, options) => Library.loadSync(options).catalog().text,
  'fast-glob and gray-matter, promise': async (base) => {
    const files = await fastGlob(PATTERN, { ...GLOB, cwd: join(base, ROOT) })
    return section(await Promise.all(files.map(async (file) => entry(file, await readFile(file, 'utf8')))))
  },
  'fast-glob and gray-matter, sync': (base) => {
    const files = fastGlob.sync(PATTERN, { ...GLOB, cwd: join(base, ROOT) })
    return section(files.map((file) => entry(file, readFileSync(file, 'utf8'))))
  },
}

const base = lay()
const options = { project: base, home: join(base, 'home'), enterprise: join(base, 'enterprise') }
/** For each way the rounds, in milliseconds: by the clock, and of all processors. */
const rounds = Object.fromEntries(Object.keys(ways).map((way) => [way, []]))
try {
  for (let round = 0; round < ROUNDS; round++) {
    for (const [way, run] of Object.entries(ways)) {
      const [used, start] = [process.cpuUsage(), performance.now()]
      const text = await run(base, options)
      const clock = performance.now() - start
      const { user, system } = process.cpuUsage(used)
      rounds[way].push({ clock, processors: (user + system) / 1000 })
      const found = text.match(/<name>/g)?.length
      if (found !== SKILLS) throw new Error(`${way}: ${found} skills`)
    }
  }
} finally {
  rmSync(base, { recursive: true })
}

const at = (way, what, share) => {
  const sorted = rounds[way].map((round) => round[what]).sort((one, other) => one - other)
  return sorted[Math.floor((ROUNDS - 1) * share)]
}
console.log(`load and catalog over ${SKILLS} skills, ${ROUNDS} rounds, node ${process.version}; median (10 to 90 %) in ms`)
for (const way of Object.keys(ways)) {
  const columns = ['clock', 'processors'].map((what) => {
    const [low, median, high] = [0.1, 0.5, 0.9].map((share) => at(way, what, share).toFixed(0))
    const ratio = at(way, what, 0.5) / at('prowess, promise', what, 0.5)
    return `${what} ${median} (${low} to ${high}), ${ratio.toFixed(2)} x`.padEnd(40)
  })
  console.log(`${way.padEnd(36)}${columns.join('')}`.trimEnd())
}
