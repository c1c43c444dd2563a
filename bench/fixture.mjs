import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { summarise, timed } from './lib/statistics.mjs'

const usage = `node bench/fixture.mjs [options]

Measures what nodes add to a vitest suite: its time with one node per worker and a fresh state per test, minus its time
without nodes.

  --tests n     number of tests
  --files n     files to spread them over
  --workers n   vitest workers, each with its own node
  --rounds n    repetitions, alternating between the suites`

const { values: flags } = parseArgs({
  options: {
    tests: { type: 'string', default: '200' },
    files: { type: 'string', default: '8' },
    workers: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
  },
})
if (flags.help) {
  console.log(usage)
  process.exit(0)
}
const [tests, files, workers, rounds] = ['tests', 'files', 'workers', 'rounds'].map((name) =>
  Number(flags[name]),
)

/** Head of each suite's files. Every test of the last suite changes the chain, and must find it unchanged. */
const suites = {
  'without nodes': `import { test } from 'vitest'\nconst work = () => undefined`,
  'fresh states': `import { test } from 'standin/vitest'\nconst work = ({ node }) => void node.url`,
  'fresh states and a transfer': `import { expect, test } from 'standin/vitest'
const work = async ({ node }) => {
  const [from, to] = node.accounts.map(({ address }) => address)
  await node.request('eth_sendTransaction', [{ from, to, value: '0x1' }])
  expect(await node.request('eth_blockNumber')).toBe('0x1')
}`,
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const directory = await mkdtemp(join(tmpdir(), 'standin-bench-fixture-'))
try {
  await layOut()
  const times = Object.fromEntries(Object.keys(suites).map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(suites)) times[name].push(await timed(() => run(name)))
  }
  const without = summarise(times['without nodes']).median
  for (const [name, values] of Object.entries(times)) {
    const { median, low, high } = summarise(values)
    const more = name === 'without nodes' ? '' : `, ${seconds(median - without)} added`
    console.log(`${name}: ${seconds(median)} (${seconds(low)} to ${seconds(high)})${more}`)
  }
} finally {
  await rm(directory, { recursive: true, force: true })
}

/** Creates a project with this package installed and one directory per suite. */
async function layOut() {
  const modules = join(directory, 'node_modules')
  await mkdir(modules)
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (!name.startsWith('.')) await symlink(join(root, 'node_modules', name), join(modules, name))
  }
  for (const name of ['package.json', 'bin', 'dist']) {
    await cp(join(root, name), join(modules, 'standin', name), { recursive: true })
  }
  await writeFile(join(directory, 'package.json'), '{"type":"module"}')
  for (const [name, head] of Object.entries(suites)) {
    const suite = join(directory, directoryOf(name))
    await mkdir(suite)
    const setup = head.includes('standin/') ? ` globalSetup: ['standin/vitest/setup'],` : ''
    const config = `export default { test: {${setup} maxWorkers: ${workers} } }\n`
    await writeFile(join(suite, 'vitest.config.js'), config)
    for (let file = 0; file < files; file++) {
      const count = Math.floor(tests / files) + (file < tests % files ? 1 : 0)
      await writeFile(
        join(suite, `suite${file}.test.js`),
        `${head}\nfor (let i = 0; i < ${count}; i++) test('number ' + i, work)\n`,
      )
    }
  }
}

async function run(name) {
  const vitest = join(directory, 'node_modules/vitest/vitest.mjs')
  await promisify(execFile)(process.execPath, [vitest, 'run'], { cwd: join(directory, directoryOf(name)) })
}

function directoryOf(name) {
  return name.replaceAll(' ', '-')
}

function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(2)} s`
}
