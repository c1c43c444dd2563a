import { encodeFunctionData, getAddress, numberToHex, parseAbi, type Hex } from 'viem'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readArtifact } from '../support/artifacts.js'
import { buildCommand, runCommand, stopCommand, type Command } from '../support/command.js'
import { callRpc } from '../support/rpc.js'
import { until } from '../support/until.js'

const running: Command[] = []

beforeAll(buildCommand, 120_000)
afterEach(() => Promise.all(running.splice(0).map((command) => stopCommand(command))))

/** Calls the console with its own input: calldatacopy, staticcall, stop. */
const loggerCode = '0x365f5f375f5f365f73000000000000000000636f6e736f6c652e6c6f675afa5000'
const logger: Hex = `0x${'7a'.repeat(20)}`
const log = (text: string, value: bigint) =>
  encodeFunctionData({ abi: parseAbi(['function log(string,uint256) view']), args: [text, value] })

async function start(...options: string[]) {
  const command = runCommand(['--port', '0', '--ipfs-port', '0', ...options])
  running.push(command)
  await until(() => /^Listening on /m.test(command.stdout()))
  const url = `http://${/^Listening on (\S+)/m.exec(command.stdout())?.[1] ?? ''}`
  const call = <T>(method: string, ...params: unknown[]) => callRpc<T>(url, method, params)
  const [from] = await call<Hex[]>('eth_accounts')
  const lines = () => command.stdout().slice(command.stdout().indexOf('Listening on')).split('\n')
  return { call, from: from as Hex, lines, says: (line: string) => until(() => lines().includes(line)) }
}

describe('the command prints', () => {
  test('the console.log output of contracts in calls and transactions, once each', async () => {
    const { call, from, lines, says } = await start()
    await call('anvil_setCode', logger, loggerCode)
    await call('eth_call', { to: logger, data: log('called', 1n) }, 'latest')
    await says('called 1')
    const gas = await call<Hex>('eth_estimateGas', { from, to: logger, data: log('sent', 2n) })
    await call('eth_getBlockByNumber', 'pending', false)
    await call('eth_sendTransaction', { from, to: logger, data: log('sent', 2n), gas })
    await says('sent 2')
    await call('anvil_setLoggingEnabled', false)
    await call('eth_call', { to: logger, data: log('unheard', 3n) }, 'latest')
    await call('anvil_setLoggingEnabled', true)
    await call('eth_call', { to: logger, data: log('heard', 4n) }, 'latest')
    await says('heard 4')
    expect(lines().filter((line) => /called|sent|heard/.test(line))).toEqual([
      'called 1',
      'sent 2',
      'heard 4',
    ])
  })

  test('why a transaction failed, with the errors of artifacts', async () => {
    const { abi, bytecode } = readArtifact('Reverter')
    const { call, from, says } = await start('--artifacts', 'fixtures/contracts/artifacts')
    const hash = await call<Hex>('eth_sendTransaction', { from, data: bytecode })
    const { contractAddress: to } = await call<{ contractAddress: Hex }>('eth_getTransactionReceipt', hash)
    const calls: [name: string, args: readonly unknown[], message: string][] = [
      ['revertWithReason', ['nope'], 'reverted with nope'],
      ['revertWithoutReason', [], 'reverted without a reason'],
      ['revertWithCustomError', [to, 1n, 2n], `reverted with InsufficientFunds(${getAddress(to)}, 1, 2)`],
      ['revertWithPlainError', [], 'reverted with Plain()'],
      ['panicAssert', [false], 'reverted with assert(false)'],
      ['revertWithData', ['0xdeadbeef'], 'reverted with the data 0xdeadbeef'],
    ]
    for (const [functionName, args, message] of calls) {
      const data = encodeFunctionData({ abi, functionName, args })
      const sent = await call<Hex>('eth_sendTransaction', { from, to, data, gas: numberToHex(200_000) })
      await says(`Transaction ${sent} failed: ${message}`)
    }
    const starved = await call<Hex>('eth_sendTransaction', {
      from,
      data: bytecode,
      gas: numberToHex(200_000),
    })
    await says(`Transaction ${starved} failed: contract creation code storage out of gas`)
  })

  test('each call of a transaction as a tree', async () => {
    const { call, from, says } = await start('--trace', '--artifacts', 'fixtures/contracts/artifacts')
    const hash = await call<Hex>('eth_sendTransaction', { from, data: readArtifact('Store').bytecode })
    const { contractAddress: to } = await call<{ contractAddress: Hex }>('eth_getTransactionReceipt', hash)
    const { abi } = readArtifact('Store')
    const data = encodeFunctionData({ abi, functionName: 'setNumber', args: [42n] })
    const sent = await call<Hex>('eth_sendTransaction', { from, to, data })
    const { gasUsed } = await call<{ gasUsed: Hex }>('eth_getTransactionReceipt', sent)
    await says(`Transaction ${sent}`)
    await says(`  [${Number(gasUsed)}] Store::setNumber(42)`)
    await says('  └─ ← [returned]')
  })
})
