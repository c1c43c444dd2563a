import { spawn, type ChildProcess } from 'node:child_process'
import { encodeFunctionData, getContractAddress, parseEther, parseGwei, toHex, type Hex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'
import { readArtifact } from '../support/artifacts.js'
import { foundryProgram } from '../support/foundry.js'
import { until } from '../support/until.js'

const anvil = foundryProgram('anvil')
if (anvil === undefined) console.warn('skipped: the messages of anvil, which is not in test/peers')

const phrase = 'test test test test test test test test test test test junk'
const [first, second] = [0, 1].map((addressIndex) => mnemonicToAccount(phrase, { addressIndex }))
const from = first?.address as Hex
const to = second?.address as Hex
const { abi, bytecode } = readArtifact('Reverter')
const reverter = getContractAddress({ from, nonce: 0n })
const stranger: Hex = `0x${'51'.repeat(20)}`

type Ask = (method: string, ...params: unknown[]) => Promise<unknown>

async function post(url: string, method: string, params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const { result, error } = (await (await fetch(url, { method: 'POST', headers, body })).json()) as {
    result?: unknown
    error?: { code: number; message: string }
  }
  if (error !== undefined) throw Object.assign(new Error(error.message), error)
  return result
}

/** Returns the result of a call, or code and message of its refusal. */
async function answer(ask: Ask, method: string, ...params: unknown[]): Promise<unknown> {
  try {
    return await ask(method, ...params)
  } catch (error) {
    const { code, message } = error as { code: number; message: string }
    return { code, message }
  }
}

function signed(fields: Record<string, unknown>): Promise<Hex> {
  const transaction = { type: 'eip1559', chainId: 31337, to, gas: 21_000n, maxFeePerGas: parseGwei('9') }
  return (first as NonNullable<typeof first>).signTransaction({ ...transaction, ...fields } as never)
}

describe.skipIf(anvil === undefined)("--compat anvil has anvil's messages", () => {
  let child: ChildProcess
  let node: StandinNode
  let nodes: readonly Ask[]

  beforeAll(async () => {
    child = spawn(anvil ?? '', ['--port', '0'], { stdio: ['ignore', 'pipe', 'ignore'] })
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
    node = await createNode({ port: 0, compat: 'anvil' })
    await until(() => output.includes('Listening on') || child.exitCode !== null)
    const url = `http://${/Listening on (\S+)/.exec(output)?.[1]}`
    nodes = [
      (method, ...params) => post(url, method, params),
      (method, ...params) => node.request(method, params),
    ]
    for (const ask of nodes) {
      await ask('eth_sendTransaction', { from, data: bytecode, gas: '0x200000' })
      await until(async () => (await ask('eth_blockNumber')) === '0x1')
      await ask('evm_setAutomine', false)
    }
  })

  afterAll(async () => {
    await node?.stop()
    child?.kill()
  })

  async function expectSame(method: string, ...params: unknown[]): Promise<void> {
    const [theirs, ours] = await Promise.all(nodes.map((ask) => answer(ask, method, ...params)))
    expect(theirs).toHaveProperty('code')
    expect(ours).toEqual(theirs)
  }

  test.each<[string, readonly unknown[]]>([
    ['revertWithReason', ['nope']],
    ['revertWithoutReason', []],
    ['revertWithCustomError', [from, 1n, 2n]],
    ['revertWithPlainError', []],
    ['revertWithData', ['0x12345678aa']],
    ['panicAssert', [false]],
    ['panicOverflow', [2n ** 256n - 1n, 1n]],
    ['panicDivision', [1n, 0n]],
    ['panicEnum', [9n]],
    ['panicStorageEncoding', []],
    ['panicPop', []],
    ['panicIndex', [1n]],
    ['panicMemory', [2n ** 128n]],
    ['panicUnsetFunction', []],
    ['invalidOpcode', []],
  ])('a call that fails: %s', async (functionName, args) => {
    await expectSame(
      'eth_call',
      { from, to: reverter, data: encodeFunctionData({ abi, functionName, args }) },
      'latest',
    )
  })

  // Text without a selector, as from Vyper's raw_revert; text and no text after a selector; too short for one.
  test.each(['61', '61626364', '00000000', '4e487b71', 'ff', 'fffe', 'deadbeef', 'deadbeef00', 'deadbeefff'])(
    'a REVERT with 0x%s',
    async (data) => {
      const size = data.length / 2
      const code = `0x7f${data.padEnd(64, '0')}60005260${size.toString(16).padStart(2, '0')}6000fd`
      for (const ask of nodes) await ask('anvil_setCode', stranger, code)
      await expectSame('eth_call', { to: stranger }, 'latest')
      await expectSame('eth_createAccessList', { to: stranger }, 'latest')
    },
  )

  test.each([
    ['takes from an empty stack', '01'],
    ['fills the stack', '5b6001600056'],
    ['jumps to nowhere', '600556'],
    ['is no opcode', '0c'],
    ['creates code that begins with 0xef', '60ef60005360016000f3'],
    ['creates more code than there may be', '620100006000f3'],
    ['reads beyond the return data', '6001600060003e'],
    ['returns memory beyond 64 bits', '680100000000000000005ff3'],
  ])('code that %s', async (_, code) => {
    const message = { from, data: `0x${code}`, gas: '0xf00000' }
    await expectSame('eth_call', message, 'latest')
    await expectSame('eth_estimateGas', message, 'latest')
  })

  test('an empty list of authorizations', () =>
    expectSame('eth_estimateGas', { from, to: reverter, authorizationList: [] }, 'latest'))

  test.each(['eth_call', 'eth_estimateGas'])('a tip above the cap: %s', async (method) => {
    await expectSame(method, { from, to: reverter, maxPriorityFeePerGas: '0x2' }, 'latest')
    const fees = { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }
    await expectSame(method, { from, to: reverter, ...fees }, 'latest')
  })

  test.each(['gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas'])(
    'wei per gas of more than 128 bits: %s',
    async (name) => {
      const request = { from, to, [name]: toHex(2n ** 128n) }
      await expectSame('eth_call', request, 'latest')
      await expectSame('eth_estimateGas', request, 'latest')
      await expectSame('eth_createAccessList', request, 'latest')
      await expectSame('eth_sendTransaction', request)
      await expectSame('eth_fillTransaction', request)
    },
  )

  test.each<[string, Record<string, unknown>]>([
    ['a used nonce', { nonce: '0x0', gas: '0x5208' }],
    ['more than there is', { value: toHex(parseEther('20000')), gas: '0x5208' }],
    ['a cap below the base fee', { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1', gas: '0x5208' }],
    ['a price below the base fee', { gasPrice: '0x1', gas: '0x5208' }],
    ['no price', { gasPrice: '0x0', gas: '0x5208' }],
    [
      'a tip above the cap',
      { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x77359401', gas: '0x5208' },
    ],
    ['too little gas', { gas: '0x5207' }],
    ['more gas than a block has', { gas: '0x5f5e100' }],
    ['an account without a key', { from: stranger, gas: '0x5208' }],
  ])('a refused transaction: %s', async (_, fields) => {
    await expectSame('eth_sendTransaction', { from, to, ...fields })
  })

  test('a refused raw transaction', async () => {
    await expectSame('eth_sendRawTransaction', await signed({ nonce: 0 }))
    await expectSame('eth_sendRawTransaction', await signed({ nonce: 1, chainId: 5 }))
    await expectSame('eth_sendRawTransaction', '0x02deadbeef')
    const waiting = await signed({ nonce: 1 })
    for (const ask of nodes) await ask('eth_sendRawTransaction', waiting)
    await expectSame('eth_sendRawTransaction', waiting)
    await expectSame('eth_sendRawTransaction', await signed({ nonce: 1, maxFeePerGas: parseGwei('8') }))
    // Any higher cap replaces.
    const replacing = await signed({ nonce: 1, maxFeePerGas: parseGwei('9') + 1n })
    for (const ask of nodes) expect(await ask('eth_sendRawTransaction', replacing)).toMatch(/^0x/)
  })

  test('a transaction that eth_fillTransaction cannot estimate', () =>
    expectSame('eth_fillTransaction', {
      from,
      to: reverter,
      data: encodeFunctionData({ abi, functionName: 'revertWithReason', args: ['nope'] }),
    }))

  test('an unknown method', () => expectSame('eth_nothing'))

  test('a call with less gas than a transaction costs', () =>
    expectSame('eth_call', { from, to, gas: '0x64' }, 'latest'))

  test.each<[string, readonly unknown[]]>([
    ['eth_getBalance', [from, '0x1000']],
    ['eth_getProof', [from, [], '0x1000']],
    ['eth_call', [{ from, to }, '0x1000']],
    ['eth_estimateGas', [{ from, to }, '0x1000']],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: [] }] }, '0x1000']],
    ['eth_getLogs', [{ fromBlock: '0x100' }]],
    ['eth_getLogs', [{ fromBlock: '0x100', toBlock: '0x200' }]],
    ['eth_newFilter', [{ fromBlock: '0x100' }]],
  ])('a block beyond the head: %s', (method, params) => expectSame(method, ...params))

  test('a call with a cap below the base fee runs at the cap', async () => {
    // Returns GASPRICE.
    const message = { from, data: '0x3a60005260206000f3', maxFeePerGas: '0x5', maxPriorityFeePerGas: '0x1' }
    const calls: [method: string, ...params: unknown[]][] = [
      ['eth_call', message, 'latest'],
      ['eth_call', { from, data: message.data, gasPrice: '0x7' }, 'latest'],
      ['eth_createAccessList', { from, to, maxFeePerGas: '0x5', maxPriorityFeePerGas: '0x1' }, 'latest'],
      ['eth_createAccessList', { from, to, maxFeePerGas: '0x5' }, 'latest'],
      ['eth_createAccessList', { from, to, maxPriorityFeePerGas: '0x5' }, 'latest'],
    ]
    for (const call of calls) {
      const [theirs, ours] = await Promise.all(nodes.map((ask) => ask(...call)))
      expect(ours).toEqual(theirs)
    }
    // An estimate searches, and ends at a different value.
    for (const ask of nodes) expect(await ask('eth_estimateGas', message)).toMatch(/^0x/)
  })

  test('a transfer is estimated regardless of funds, and an unknown transaction has no encoding', async () => {
    const calls: [method: string, ...params: unknown[]][] = [
      ['eth_estimateGas', { from, to, value: toHex(parseEther('20000')) }],
      ['eth_estimateGas', { from, to, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' }],
      ['eth_getRawTransactionByHash', `0x${'12'.repeat(32)}`],
    ]
    for (const call of calls) {
      const [theirs, ours] = await Promise.all(nodes.map((ask) => ask(...call)))
      expect(ours).toBe(theirs)
    }
    await expectSame('eth_estimateGas', { from, to: reverter, value: toHex(parseEther('20000')) })
  })

  test.each([
    ['0x0', '0x0'],
    ['0x64', '0x64'],
    ['0x64', '0x65'],
  ])('an estimate with a price, from a balance of %s and with a value of %s', async (balance, value) => {
    const poor = `0x${'de'.repeat(20)}`
    for (const ask of nodes) await ask('anvil_setBalance', poor, balance)
    await expectSame('eth_estimateGas', { from: poor, to, data: '0x01', value, gasPrice: '0x77359400' })
  })

  test('a creation without data creates an account without code', async () => {
    for (const ask of nodes) {
      await ask('evm_setAutomine', true)
      const hash = await ask('eth_sendTransaction', { from, gas: '0x20000', value: '0x7' })
      const receipt = () => ask('eth_getTransactionReceipt', hash)
      await until(async () => (await receipt()) !== null)
      const { contractAddress, gasUsed } = (await receipt()) as Record<string, string>
      expect(gasUsed).toBe(toHex(53_000))
      expect(await ask('eth_getCode', contractAddress, 'latest')).toBe('0x')
      expect(await ask('eth_getBalance', contractAddress, 'latest')).toBe('0x7')
    }
  })

  test('a filter with fromBlock includes earlier logs', async () => {
    // LOG0 without data, as creation code.
    const emitting = { from, data: '0x60006000a0', gas: '0x20000', nonce: undefined }
    for (const ask of nodes) {
      await ask('evm_setAutomine', true)
      const hash = await ask('eth_sendTransaction', emitting)
      await until(async () => (await ask('eth_getTransactionReceipt', hash)) !== null)
      const past = await ask('eth_newFilter', { fromBlock: '0x0' })
      const future = await ask('eth_newFilter', {})
      expect(await ask('eth_getFilterChanges', past)).toHaveLength(1)
      expect(await ask('eth_getFilterChanges', past)).toEqual([])
      expect(await ask('eth_getFilterChanges', future)).toEqual([])
    }
  })

  test('calls of eth_simulateV1 have the members of anvil', async () => {
    const calls = [
      { from, to, value: '0x1' },
      { from, to: reverter, data: '0x12345678' },
    ]
    const members = await Promise.all(
      nodes.map(async (ask) => {
        const [block] = (await ask('eth_simulateV1', { blockStateCalls: [{ calls }] }, 'latest')) as [
          { calls: Record<string, unknown>[] },
        ]
        return block.calls.map((call) => Object.keys(call).sort())
      }),
    )
    expect(members[1]).toEqual(members[0])
  })

  test('eth_simulateV1 does not fill skipped numbers', async () => {
    const blockStateCalls = [{ blockOverrides: { number: '0x10f2c' }, calls: [] }]
    for (const ask of nodes) {
      const blocks = await ask('eth_simulateV1', { blockStateCalls }, 'latest')
      expect(blocks).toMatchObject([{ number: '0x10f2c' }])
    }
  })

  test('fees, safe blocks and receipts', async () => {
    const seen = await Promise.all(
      nodes.map(async (ask) => {
        await ask('anvil_reset')
        await ask('evm_setAutomine', false)
        const atFirst = await ask('eth_gasPrice')
        const hash = await ask('eth_sendTransaction', { from, to, gas: '0x5208', maxFeePerGas: '0x77359400' })
        await ask('evm_mine')
        const afterOne = await ask('eth_gasPrice')
        await ask('anvil_mine', '0x50')
        const base = async (block: string) => {
          const { number, baseFeePerGas } = (await ask('eth_getBlockByNumber', block, false)) as Record<
            string,
            string
          >
          return [number, baseFeePerGas]
        }
        const receipt = (await ask('eth_getTransactionReceipt', hash)) as Record<string, unknown>
        const [inBlock] = (await ask('eth_getBlockReceipts', '0x1')) as unknown[]
        expect(inBlock).toEqual(receipt)
        const { timestamp } = (await ask('eth_getBlockByNumber', '0x1', false)) as { timestamp: Hex }
        expect(receipt['blockTimestamp']).toBe(Number(timestamp))
        const { blobGasPrice, effectiveGasPrice } = receipt
        const blocks = await Promise.all(['0x1', '0x2', '0x3', 'safe', 'finalized'].map(base))
        return [atFirst, afterOne, blobGasPrice, effectiveGasPrice, Object.keys(receipt).sort(), ...blocks]
      }),
    )
    expect(seen[1]).toEqual(seen[0])
  })

  test('eth_signTransaction returns only the signed transaction, filled in', async () => {
    const [theirs, ours] = await Promise.all(
      nodes.map((ask) =>
        ask('eth_signTransaction', { from, to, value: '0x5', gasPrice: '0x77359400', nonce: '0x9' }),
      ),
    )
    // Both sign as RFC 6979 says, so that equal transactions have equal signatures.
    expect(ours).toBe(theirs)
  })

  test.each<[string, Record<string, unknown>]>([
    ['nothing', {}],
    ['a small tip', { maxPriorityFeePerGas: '0x1' }],
    ['half a gwei more tip than usual', { maxPriorityFeePerGas: '0x59682f00' }],
    ['a cap', { maxFeePerGas: '0x59682f00' }],
    ['a price', { gasPrice: '0x59682f00' }],
  ])('the fees of a transaction with %s', async (_, fees) => {
    const seen = await Promise.all(
      nodes.map(async (ask) => {
        await ask('anvil_reset')
        await ask('evm_setAutomine', false)
        await ask('anvil_mine', '0x3')
        const hash = await ask('eth_sendTransaction', { from, to, gas: '0x5208', ...fees })
        const sent = (await ask('eth_getTransactionByHash', hash)) as Record<string, unknown>
        const { tx } = (await ask('eth_fillTransaction', { from, to, nonce: '0x1', ...fees })) as {
          tx: Record<string, unknown>
        }
        return [sent, tx].map(({ type, gasPrice, maxFeePerGas, maxPriorityFeePerGas }) =>
          type === '0x0' ? { type, gasPrice } : { type, maxFeePerGas, maxPriorityFeePerGas },
        )
      }),
    )
    expect(seen[1]).toEqual(seen[0])
  })

  test('a tip above the filled-in cap', async () => {
    for (const ask of nodes) await ask('anvil_reset')
    await expectSame('eth_sendTransaction', { from, to, maxPriorityFeePerGas: '0xb2d05e00' })
  })

  test('pending transactions, the pending block, a history without percentiles and the proof of an absent account', async () => {
    const seen = await Promise.all(
      nodes.map(async (ask) => {
        await ask('anvil_reset')
        await ask('evm_setAutomine', false)
        const fees = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }
        await ask('eth_sendTransaction', { from, to, gas: '0x5208', ...fees })
        const pending = (await ask('eth_getBlockByNumber', 'pending', false)) as Record<string, unknown>
        const nulls = Object.keys(pending).filter((member) => pending[member] === null)
        const { accountProof: _, ...proof } = (await ask('eth_getProof', stranger, [], 'latest')) as {
          accountProof: unknown
        }
        return {
          inspected: await ask('txpool_inspect'),
          senders: Object.keys(((await ask('txpool_content')) as { pending: object }).pending),
          number: pending['number'],
          nonce: pending['nonce'],
          nulls,
          history: await ask('eth_feeHistory', '0x1', 'latest', []),
          proof,
        }
      }),
    )
    expect(seen[1]).toEqual(seen[0])
    expect(seen[0]?.senders).toEqual([from.toLowerCase()])
  })

  test('an unaffordable transfer can be filled in but not sent', async () => {
    const seen = await Promise.all(
      nodes.map(async (ask) => {
        await ask('anvil_reset')
        const fees = { maxFeePerGas: toHex(2n ** 120n), maxPriorityFeePerGas: '0x1' }
        const { tx } = (await ask('eth_fillTransaction', { from, to, ...fees })) as {
          tx: Record<string, unknown>
        }
        return [
          tx['gas'],
          tx['maxFeePerGas'],
          await answer(ask, 'eth_sendTransaction', { from, to, ...fees }),
        ]
      }),
    )
    expect(seen[1]).toEqual(seen[0])
  })

  test('estimates exceed the minimum gas, and calls without a price see the base fee', async () => {
    const contract = `0x${'c2'.repeat(20)}`
    const seen = await Promise.all(
      nodes.map(async (ask) => {
        await ask('anvil_reset')
        // BASEFEE PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
        await ask('anvil_setCode', contract, '0x485f5260205ff3')
        const estimates = [
          ...[{ to }, { to, accessList: [] }, { data: '0x' }, { to: contract }],
          ...[
            { to: contract, gas: '0x5207' },
            { to: contract, gas: '0x0' },
            { to, gas: '0x5207' },
          ],
        ]
        const answers: unknown[] = []
        for (const fields of estimates)
          answers.push(await answer(ask, 'eth_estimateGas', { from, ...fields }))
        for (const fields of [
          {},
          { gasPrice: '0x0' },
          { gasPrice: '0x1' },
          { maxFeePerGas: '0x1' },
          { maxFeePerGas: '0x77359400' },
        ]) {
          answers.push(await answer(ask, 'eth_call', { from, to: contract, ...fields }, 'latest'))
        }
        return answers
      }),
    )
    expect(seen[1]).toEqual(seen[0])
  })
})
