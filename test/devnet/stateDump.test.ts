import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { bytesToHex, hexToBytes, numberToHex, pad, stringToHex, type Hex } from 'viem'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { OptionError } from '../../src/index.js'
import { Controls } from '../../src/rpc/controls.js'
import { readArtifact } from '../support/artifacts.js'
import { refusalOf, startDevnet, stopAll, stopDevnet, type Devnet } from './support.js'

const directories: string[] = []

afterEach(async () => {
  vi.restoreAllMocks()
  await stopAll()
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'standin-dump-'))
  directories.push(directory)
  return directory
}

interface Dump {
  block: { number: Hex } | null
  accounts: Record<Hex, { nonce: number; balance: Hex; code: Hex; storage: Record<Hex, Hex> }>
  best_block_number: number
  blocks: { header: { number: Hex }; transactions: unknown[] }[]
  transactions: { info: { transaction_hash: Hex } }[]
}

const parse = (dump: Hex) => JSON.parse(gunzipSync(hexToBytes(dump)).toString()) as Dump
const someone: Hex = `0x${'51'.repeat(20)}`

/** Mines blocks with a contract, an impersonated sender and a legacy transaction. */
async function populate({ call, send, from, to }: Devnet): Promise<Hex> {
  const { contractAddress } = await send({ data: readArtifact('Store').bytecode })
  // setNumber(uint256)
  await send({ to: contractAddress, data: `0x3fb5c1cb${pad('0x2a').slice(2)}` })
  await call('anvil_setBalance', someone, numberToHex(10n ** 18n))
  await call('anvil_impersonateAccount', someone)
  await send({ from: someone, to, value: '0x7' })
  await send({ from, to, gasPrice: numberToHex(2n * 10n ** 9n) })
  return contractAddress
}

describe('a geth genesis', () => {
  test('of the state starts another chain with the same state root', async () => {
    const path = join(folder(), 'genesis.json')
    const first = await startDevnet({ dumpGenesis: path })
    const contract = await populate(first)
    const { stateRoot, timestamp } = await first.block()
    expect(await first.call('standin_dumpGenesis')).toMatchObject({
      config: { chainId: 31337 },
      alloc: { [contract.slice(2)]: { storage: { [pad('0x0')]: pad('0x2a') } } },
    })
    await stopDevnet(first)
    const second = await startDevnet({ genesis: path })
    expect(await second.block('0x0')).toMatchObject({ stateRoot, timestamp, number: '0x0' })
    expect(await second.call('eth_getStorageAt', contract, '0x0')).toBe(pad('0x2a'))
    expect((await second.send({ to: second.to })).status).toBe('0x1')
  })
})

describe('a dump', () => {
  test('has every account with its storage, and reproduces the chain in another node', async () => {
    const first = await startDevnet()
    const contract = await populate(first)
    const dump = await first.call<Hex>('anvil_dumpState')
    const { accounts, blocks, best_block_number: best } = parse(dump)
    expect(accounts[contract]?.storage).toEqual({ [pad('0x0')]: pad('0x2a') })
    expect(accounts[first.from.toLowerCase() as Hex]?.nonce).toBe(3)
    expect(accounts[someone]).toMatchObject({ nonce: 1, code: '0x' })
    expect([blocks.length, best]).toEqual([5, 4])
    const second = await startDevnet()
    await second.call('evm_mine')
    expect(await second.call('hardhat_loadState', dump)).toBe(true)
    for (const id of ['0x0', '0x1', '0x2', '0x3', '0x4']) {
      expect(await second.call('eth_getBlockByNumber', id, true)).toEqual(
        await first.call('eth_getBlockByNumber', id, true),
      )
      expect(await second.call('eth_getBlockReceipts', id)).toEqual(
        await first.call('eth_getBlockReceipts', id),
      )
    }
    expect(await second.call('eth_getStorageAt', contract, '0x0', 'latest')).toBe(pad('0x2a'))
    expect(await second.call('eth_getStorageAt', contract, '0x0', '0x4')).toBe(pad('0x2a'))
    expect((await refusalOf(second.call('eth_getBalance', contract, '0x1'))).message).toMatch(
      /historical state .* is not available/,
    )
    expect((await second.send({ to: second.to })).blockNumber).toBe('0x5')
    expect(parse(await second.call<Hex>('anvil_dumpState')).accounts[contract]?.code).toBe(
      accounts[contract]?.code,
    )
  })

  test('without blocks is merged into the chain unchanged', async () => {
    const { call, height, from } = await startDevnet()
    await call('evm_mine')
    const accounts = { [someone]: { nonce: 3, balance: '17', code: '0x00', storage: { '0x1': '0x5' } } }
    const dump = stringToHex(JSON.stringify({ block: null, best_block_number: null, accounts }))
    expect(await call('anvil_loadState', dump)).toBe(true)
    expect(await height()).toBe(1)
    expect(await call('eth_getBalance', someone, 'latest')).toBe('0x11')
    expect(await call('eth_getStorageAt', someone, '0x1', 'latest')).toBe(pad('0x5'))
    expect(await call('eth_getTransactionCount', someone, 'latest')).toBe('0x3')
    expect(BigInt(await call<Hex>('eth_getBalance', from, 'latest'))).toBe(10_000n * 10n ** 18n)
  })

  test('may begin far above block 0, like that of a fork', async () => {
    const first = await startDevnet()
    await first.call('anvil_mine', 2)
    const content = parse(await first.call<Hex>('anvil_dumpState'))
    const number = numberToHex(20_000_000)
    const [block] = content.blocks.slice(-1)
    const moved = {
      ...content,
      block: { ...content.block, number },
      best_block_number: 20_000_000,
      blocks: [{ ...block, header: { ...block?.header, number } }],
    }
    const second = await startDevnet()
    // Otherwise both chains may have the same blocks, among them the parent.
    await second.call('evm_increaseTime', 1000)
    await second.call('anvil_mine', 3)
    expect(await second.call('anvil_loadState', stringToHex(JSON.stringify(moved)))).toBe(true)
    expect(await second.height()).toBe(20_000_000)
    expect(await second.call('eth_getBlockByNumber', '0x1', false)).toBeNull()
    for (const tag of ['earliest', 'safe', 'latest']) {
      expect(await second.call('eth_getBlockByNumber', tag, false)).toMatchObject({ number })
    }
    await second.call('evm_mine')
    const { blocks } = parse(await second.call<Hex>('anvil_dumpState'))
    expect(blocks.map(({ header }) => Number(header.number))).toEqual([20_000_000, 20_000_001])
    await second.call('anvil_reset')
    expect(await second.height()).toBe(0)
    expect(await second.call('eth_getBlockByNumber', 'earliest', false)).toMatchObject({ number: '0x0' })
  })

  test('may be a geth genesis', async () => {
    const { call } = await startDevnet()
    const alloc = { [someone.slice(2)]: { balance: '0x2a' } }
    await call('anvil_loadState', stringToHex(JSON.stringify({ config: { chainId: 1 }, alloc })))
    expect(await call('eth_getBalance', someone, 'latest')).toBe('0x2a')
  })

  test.each([
    '0x00',
    stringToHex('{}'),
    stringToHex('{"block":{"number":"0x4"},"accounts":{},"best_block_number":4,"blocks":[]}'),
  ])('that is invalid is refused or has no blocks: %s', async (dump) => {
    const { call, height } = await startDevnet()
    if (dump.length > 50) expect(await call('anvil_loadState', dump)).toBe(true)
    else
      expect((await refusalOf(call('anvil_loadState', dump))).message).toMatch(/^Failed to decode state dump/)
    expect(await height()).toBe(0)
  })

  test('with an object of more than 170,000 members is refused', async () => {
    const { call } = await startDevnet()
    const members = Array.from({ length: 170_001 }, (_, index) => `"${index.toString(36)}":1`)
    const dump = bytesToHex(gzipSync(`{"accounts":{${members.join(',')}}}`))
    expect((await refusalOf(call('anvil_loadState', dump))).message).toBe(
      'Failed to decode state dump: An object has more than 170000 members',
    )
  })

  test('that is longer than 128 MB once it is decompressed is refused', async () => {
    const { call } = await startDevnet()
    const ofLength = (megabytes: number) =>
      bytesToHex(
        gzipSync(Buffer.concat([Buffer.from('{"accounts":{}}'), Buffer.alloc(megabytes * 2 ** 20, ' ')])),
      )
    expect(await call('anvil_loadState', ofLength(0.5))).toBe(true)
    expect((await refusalOf(call('anvil_loadState', ofLength(128)))).message).toBe(
      'Failed to decode state dump',
    )
  })

  test.each([
    [
      'longer than anvil_setCode takes',
      'ab'.repeat(2 ** 23 + 1),
      /^Failed to .*: A string has more than 16777218 characters$/,
    ],
    ['not hexadecimal', `${'ab'.repeat(200_000)}zz`, /^Failed to .*\.code: not hexadecimal$/],
    ['of an odd number of digits', 'abc', /^Failed to .*\.code: an odd number of digits$/],
  ])('with code that is %s is refused', async (_, digits, message) => {
    const { call } = await startDevnet()
    const dump = { accounts: { [someone]: { nonce: 1, balance: '0x1', code: `0x${digits}`, storage: {} } } }
    const refusal = await refusalOf(call('anvil_loadState', stringToHex(JSON.stringify(dump))))
    expect(refusal.message).toMatch(message)
  })

  test.each([
    ['a balance of more than 256 bits', { balance: '9'.repeat(79) }],
    ['a slot of more than 32 bytes', { balance: '0x1', storage: { '0x1': `0x${'1'.repeat(65)}` } }],
  ])('with %s is refused', async (_, account) => {
    const { call } = await startDevnet()
    const dump = { accounts: { [someone]: account } }
    const refusal = await refusalOf(call('anvil_loadState', stringToHex(JSON.stringify(dump))))
    expect(refusal.message).toMatch(/^Failed to decode state dump/)
  })

  test('whose blocks are not numbered one by one is refused', async () => {
    const first = await startDevnet()
    await first.call('anvil_mine', 2)
    const content = parse(await first.call<Hex>('anvil_dumpState'))
    const last = content.blocks.at(-1)
    if (last !== undefined) last.header.number = '0x1000000000'
    const moved = { ...content, best_block_number: 2 ** 36 }
    const refusal = await refusalOf(first.call('anvil_loadState', stringToHex(JSON.stringify(moved))))
    expect(refusal).toEqual({ code: -32602, message: 'block 68719476736 has the parent 1' })
  })

  test('whose best block is missing is refused', async () => {
    const first = await startDevnet()
    await first.call('anvil_mine', 2)
    const content = { ...parse(await first.call<Hex>('anvil_dumpState')), best_block_number: 9 }
    const refusal = await refusalOf(first.call('anvil_loadState', stringToHex(JSON.stringify(content))))
    expect(refusal).toEqual({ code: -32602, message: 'Best hash not found for best number 9' })
  })
})

describe('files', () => {
  test('--state continues where the last run ended', async () => {
    const state = join(folder(), 'state.json')
    const first = await startDevnet({ state })
    const contract = await populate(first)
    const head = await first.block()
    await stopDevnet(first)
    const second = await startDevnet({ state })
    expect(await second.block()).toEqual(head)
    expect(await second.call('eth_getStorageAt', contract, '0x0', 'latest')).toBe(pad('0x2a'))
  })

  test('--dump-state into a directory writes state.json, and --load-state reads it there', async () => {
    const directory = folder()
    const first = await startDevnet({ dumpState: directory })
    await populate(first)
    await stopDevnet(first)
    expect((JSON.parse(readFileSync(join(directory, 'state.json'), 'utf8')) as Dump).best_block_number).toBe(
      4,
    )
    const second = await startDevnet({ loadState: directory })
    expect(await second.height()).toBe(4)
  })

  test('that are invalid are refused at the start', async () => {
    const path = join(folder(), 'bad.json')
    writeFileSync(path, 'no json')
    await expect(startDevnet({ loadState: path })).rejects.toThrow(OptionError)
    await expect(startDevnet({ loadState: join(folder(), 'none.json') })).rejects.toThrow(
      /--load-state: ENOENT/,
    )
  })
})

/** Waits until a signal is aborted. */
const untilAborted = (signal: AbortSignal | undefined) =>
  new Promise<void>((resolve) => {
    if (signal?.aborted === true) resolve()
    else signal?.addEventListener('abort', () => resolve())
  })

describe.each(['anvil_dumpState', 'standin_dumpGenesis'])('%s ends when its client disconnects', (method) => {
  /** Requests a dump, and disconnects when `leave` is called. */
  function ask({ node }: Devnet): { leave: () => void; answered: Promise<unknown> } {
    const client = new AbortController()
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
    const headers = { 'content-type': 'application/json' }
    const answered = fetch(node.url, { method: 'POST', headers, body, signal: client.signal }).catch(
      () => undefined,
    )
    return { leave: () => client.abort(), answered }
  }

  test('while accounts are read', async () => {
    const devnet = await startDevnet()
    const { exportState } = Controls.prototype
    const write = vi.fn()
    const ended = new Promise((resolve) => {
      vi.spyOn(Controls.prototype, 'exportState').mockImplementationOnce(async function (
        this: Controls,
        _,
        signal,
      ) {
        leave()
        await untilAborted(signal)
        const dump = exportState.call(this, write, signal)
        resolve(dump.catch((error: unknown) => error))
        return dump
      })
    })
    const { leave, answered } = ask(devnet)
    expect(await ended).toMatchObject({ message: expect.stringContaining('the client is gone') as string })
    await answered
    expect(write).not.toHaveBeenCalled()
    await devnet.call('anvil_setBalance', someone, '0x1')
  })

  test('while it is written', async () => {
    const devnet = await startDevnet()
    const code: Hex = `0x${'00'.repeat(50_000)}`
    for (let index = 0; index < 5; index++) {
      await devnet.call('anvil_setCode', pad(numberToHex(index + 4096), { size: 20 }), code)
    }
    const { exportState } = Controls.prototype
    const ended = new Promise((resolve) => {
      vi.spyOn(Controls.prototype, 'exportState').mockImplementationOnce(async function (
        this: Controls,
        write,
        signal,
      ) {
        const writeLate: typeof write = async (accounts) => {
          leave()
          await untilAborted(signal)
          return write(accounts)
        }
        const dump = exportState.call(this, writeLate, signal)
        resolve(dump.catch((error: unknown) => error))
        return dump
      })
    })
    const { leave, answered } = ask(devnet)
    expect(await ended).toMatchObject({ message: expect.stringContaining('the client is gone') as string })
    await answered
    await devnet.call('anvil_setBalance', someone, '0x1')
  })
})
