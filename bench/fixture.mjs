import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { summarise, timed } from './lib/statistics.mjs'

const usage = `node bench/fixture.mjs [options]

What the nodes of a vitest suite cost: the suite's time with a node for each worker and a fresh state for each test,
less the time of the same suite without nodes.

  --tests n     tests of the suite
  --files n     files that they are spread over
  --workers n   vitest's workers, each of which has a node
  --rounds n    repetitions, in turns`

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

/** One file of each suite; every test of the second changes the chain, and finds it as if none had. */
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
const folder = await mkdtemp(join(tmpdir(), 'standin-bench-fixture-'))
try {
  await layOut()
  const times = Object.fromEntries(Object.keys(suites).map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(suites)) times[name].push(await timed(() => run(name)))
  }
  const without = summarise(times['without nodes']).median
  for (const [name, values] of Object.entries(times)) {
    const { median, low, high } = summarise(values)
    const more = name === 'without nodes' ? '' : `, ${seconds(median - without)} more than without nodes`
    console.log(`${name}: ${seconds(median)} (${seconds(low)} to ${seconds(high)})${more}`)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** A project that has this package installed, with a folder for each suite. */
async function layOut() {
  const modules = join(folder, 'node_modules')
  await mkdir(modules)
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (!name.startsWith('.')) await symlink(join(root, 'node_modules', name), join(modules, name))
  }
  for (const name of ['package.json', 'bin', 'dist']) {
    await cp(join(root, name), join(modules, 'standin', name), { recursive: true })
  }
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  for (const [name, head] of Object.entries(suites)) {
    const suite = join(folder, folderOf(name))
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
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs')
  await promisify(execFile)(process.execPath, [vitest, 'run'], { cwd: join(folder, folderOf(name)) })
}

function folderOf(name) {
  return name.replaceAll(' ', '-')
}

function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(2)} s`
}
