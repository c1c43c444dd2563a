import { mnemonicToAccount } from 'viem/accounts'
import { expect, test, beforeAll } from 'vitest'
import { buildCommand, runCommand } from '../support/command.js'
import { until } from '../support/until.js'

beforeAll(buildCommand)

/** Runs a program under `standin exec`. */
function exec(program: string, args: readonly string[] = []) {
  return runCommand(['exec', ...args, '--', process.execPath, '-e', program])
}

test('the command finds its node through the environment', async () => {
  const program = `(async () => {
    const { RPC_URL, WS_URL, CHAIN_ID, IPFS_API_URL, IPFS_API_KEY, IPFS_API_SECRET } = process.env
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' })
    const chain = await (await fetch(RPC_URL, { method: 'POST', headers, body })).json()
    const form = new FormData()
    form.append('file', new Blob(['hello\\n']))
    const authorization = 'Basic ' + btoa(IPFS_API_KEY + ':' + IPFS_API_SECRET)
    const added = await fetch(IPFS_API_URL + '/api/v0/add', { method: 'POST', body: form, headers: { authorization } })
    console.log(JSON.stringify([chain.result, CHAIN_ID, (await added.json()).Hash, WS_URL.startsWith('ws://')]))
  })()`
  for (const args of [[], ['--mode', 'guarded']]) {
    const { ended, stdout, stderr } = exec(program, ['--chain-id', '77', ...args])
    expect(await ended, stderr()).toBe(0)
    // Kubo's CID of these six bytes.
    expect(JSON.parse(stdout())).toEqual([
      '0x4d',
      '77',
      'QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN',
      true,
    ])
  }
})

test('the accounts follow from the requested seed', async () => {
  // anvil 1.7.1's mnemonic for seed 1.
  const phrase = 'gesture car maximum regret pudding merry fatal electric sea grab crack social'
  const program = `(async () => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_accounts' })
    const { result } = await (await fetch(process.env.RPC_URL, { method: 'POST', headers, body })).json()
    console.log(result[0])
  })()`
  const { ended, stdout, stderr } = exec(program, ['--mnemonic-seed-unsafe', '1'])
  expect(await ended, stderr()).toBe(0)
  expect(stdout().trim()).toBe(mnemonicToAccount(phrase).address.toLowerCase())
})

test('the exit status is passed on', async () => {
  expect(await exec('process.exit(7)').ended).toBe(7)
  const absent = runCommand(['exec', '--', 'standin-no-such-command'])
  expect(await absent.ended).toBe(127)
  expect(absent.stderr()).toContain('standin-no-such-command')
})

test('signals are passed to the command, and the one that ends it ends standin', async () => {
  const handled = exec(
    `process.on('SIGTERM', () => process.exit(3)); setInterval(() => {}, 1000); console.log('up')`,
  )
  await until(() => handled.stdout().includes('up'))
  handled.child.kill('SIGTERM')
  expect(await handled.ended).toBe(3)
  const killed = exec(`process.kill(process.pid, 'SIGKILL')`)
  expect(await killed.ended).toBe('SIGKILL')
  const terminated = exec(`setInterval(() => {}, 1000); console.log('up')`)
  await until(() => terminated.stdout().includes('up'))
  terminated.child.kill('SIGTERM')
  expect(await terminated.ended).toBe('SIGTERM')
})

test('a command is required', async () => {
  const { ended, stderr } = runCommand(['exec', '--port', '0'])
  expect(await ended).toBe(2)
  expect(stderr()).toContain('expected -- and a command')
})
