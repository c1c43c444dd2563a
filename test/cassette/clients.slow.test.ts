import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import {
  type Program,
  allFlows,
  recordAndReplay,
  recordAndReplayFiles,
  startAnvil,
  startKubo,
  startProgram,
  startSecondNode,
} from './replaying.js'
import type { Flow } from './suites.js'

const ROUNDS = 100

let run: Record<string, Flow>
const programs: Program[] = []
const directory = mkdtempSync(join(tmpdir(), 'cassette-programs-'))

beforeAll(async () => {
  run = await allFlows()
  // A Python interpreter with web3.py.
  const python = process.env['STANDIN_TEST_PYTHON'] ?? 'python3'
  if (spawnSync(python, ['-c', 'import web3']).status === 0) {
    const program = startProgram(python, ['test/cassette/programs/web3_suite.py'])
    programs.push(program)
    run['web3.py'] = program.flow
  } else console.warn(`web3.py is skipped: ${python} has no module web3`)
  const binary = join(directory, 'suite')
  const built = spawnSync('go', ['build', '-o', binary, '.'], { cwd: 'test/cassette/programs/go' })
  if (built.status === 0) {
    const program = startProgram(binary, ['fixtures/contracts/artifacts/Token.json'])
    programs.push(program)
    run['ethclient'] = program.flow
  } else console.warn(`go-ethereum is skipped: ${built.error?.message ?? String(built.stderr)}`)
}, 600_000)

afterAll(async () => {
  for (const program of programs) await program.stop()
  rmSync(directory, { recursive: true })
})

describe('concurrent clients are replayed in a hundred orders with all networks cut', () => {
  it('recorded from a second node', async () => {
    await recordAndReplay(await startSecondNode(), run, ROUNDS)
  })

  it('recorded from anvil', async ({ skip }) => {
    const anvil = await startAnvil()
    if (anvil === undefined) skip('anvil is not installed: npm install --prefix test/peers')
    else await recordAndReplay(anvil, run, ROUNDS)
  })

  it('recorded from Kubo by kubo-rpc-client', async ({ skip }) => {
    const kubo = await startKubo()
    if (kubo === undefined) skip('ipfs is not in the path')
    else await recordAndReplayFiles(kubo, ROUNDS)
  })
})
