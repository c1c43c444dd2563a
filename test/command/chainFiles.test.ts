import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordedCases } from '../conformance/support/chain.js'
import { buildCommand, runCommand, startCommand, stopCommand } from '../support/command.js'
import { callRpc } from '../support/rpc.js'
import { freePort } from '../differential/support/processes.js'

let directory: string
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'standin-chain-files-'))
  await buildCommand()
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('export writes files that a node can start from, and reports what it wrote', async () => {
  const dataDir = join(directory, 'own')
  const first = await startCommand(['--data-dir', dataDir])
  await callRpc(first.ready.url, 'evm_mine', [])
  const head = await callRpc<{ hash: string }>(first.ready.url, 'eth_getBlockByNumber', ['latest', false])
  await stopCommand(first)

  const file = join(directory, 'own.rlp')
  const exported = runCommand(['export', '--data-dir', dataDir, file])
  expect(await exported.ended).toBe(0)
  expect(exported.stdout()).toBe(
    `Exported blocks 1 to 1 to ${file} and the genesis to ${file}.genesis.json\n`,
  )
  expect(exported.stderr()).toBe('')

  const second = await startCommand(['--genesis', `${file}.genesis.json`, '--import', file])
  expect(await callRpc(second.ready.url, 'eth_getBlockByNumber', ['latest', false])).toMatchObject({
    hash: head.hash,
  })
  await stopCommand(second)
})

test.each([
  [['export'], /^standin: export: --data-dir is missing$/],
  [['export', '--data-dir', 'x'], /^standin: export: the file to write is missing$/],
  [['export', '--data-dir', 'x', 'a', 'b'], /^standin: export: unexpected argument b$/],
  [['export', '--data-dir', 'x', '--to', 'y', 'a'], /^standin: --to: expected a whole number, got "y"$/],
  [['export', '--data-dir', 'x', '--from', '1', 'a'], /^standin: export: Unknown option '--from'/],
  [['export', '--data-dir', '/nowhere/at/all', 'a'], /^standin: There is no chain in \/nowhere\/at\/all\.$/],
])('%j is refused in one line', async (args, line) => {
  const command = runCommand(args)
  expect(await command.ended).toBe(2)
  expect(command.stdout()).toBe('')
  expect(command.stderr().trimEnd()).toMatch(line)
  expect(command.stderr().trimEnd()).not.toContain('\n')
})

test('an invalid genesis ends the command with one line that names the value', async () => {
  const genesis = join(directory, 'bad.json')
  writeFileSync(genesis, JSON.stringify({ config: { chainId: 'x' } }))
  const port = await freePort()
  const command = runCommand(['--port', String(port), '--ipfs-port', '0', '--genesis', genesis])
  let isRunning = true
  void command.ended.then(() => (isRunning = false))
  // Requests that wait for the start fail with it, and are not reported once more.
  while (isRunning) {
    await callRpc(`http://127.0.0.1:${port}`, 'eth_chainId', []).catch(() => undefined)
    await sleep(2)
  }
  expect(await command.ended).toBe(2)
  expect(command.stderr()).toBe(`standin: ${genesis}: config.chainId: expected a whole number, got "x"\n`)
})

describe.skipIf(recordedCases === undefined)('the recorded chain (skipped if absent)', () => {
  const args = (dataDir: string): string[] => [
    ...['--genesis', join(recordedCases ?? '', 'genesis.json')],
    ...['--import', join(recordedCases ?? '', 'chain.rlp'), '--data-dir', dataDir],
  ]

  test('is imported completely after repeated kills during the import', async () => {
    const dataDir = join(directory, 'killed')
    for (const delay of [250, 400, 550, 700]) {
      const command = runCommand(['--quiet', '--port', '0', '--ipfs-port', '0', ...args(dataDir)])
      await sleep(delay)
      command.child.kill('SIGKILL')
      await command.ended
    }
    const command = await startCommand(args(dataDir))
    expect(await callRpc(command.ready.url, 'eth_blockNumber', [])).toBe('0x36')
    await stopCommand(command)
  })
})
