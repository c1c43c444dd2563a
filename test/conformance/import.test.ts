import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RLP } from '@ethereumjs/rlp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createNode } from '../../src/index.js'
import { recordedCases, startImported, type ImportedNode } from './support/chain.js'

/** Returns the hash of block 54, from the case `headfcu.json`. */
function recordedHead(): string {
  const update = JSON.parse(readFileSync(join(recordedCases ?? '', 'headfcu.json'), 'utf8'))
  return (update.params[0] as { headBlockHash: string }).headBlockHash
}

type Header = Uint8Array[]

/** Reads the blocks of the recorded chain as decoded RLP lists that a test can change. */
function readBlocks(): Uint8Array[][][] {
  let rest = new Uint8Array(readFileSync(join(recordedCases ?? '', 'chain.rlp')))
  const blocks: Uint8Array[][][] = []
  while (rest.length > 0) {
    const { data, remainder } = RLP.decode(rest, true)
    blocks.push(data as never)
    rest = new Uint8Array(remainder)
  }
  return blocks
}

describe.skipIf(recordedCases === undefined)('the recorded chain (skipped if absent)', () => {
  let directory: string
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'standin-import-'))
  })
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  describe('imported', () => {
    let imported: ImportedNode
    beforeAll(async () => {
      imported = await startImported()
    })
    afterAll(() => imported.remove())

    test('reaches its head, from Frontier to BPO2', async () => {
      expect(await imported.node.request('eth_blockNumber')).toBe('0x36')
      expect(await imported.node.request('eth_getBlockByNumber', ['latest', false])).toMatchObject({
        hash: recordedHead(),
      })
    })

    test('is kept: a second start imports nothing and has the head', async () => {
      await imported.node.stop()
      imported = await startImported({}, imported.dataDir)
      expect(await imported.node.request('eth_getBlockByNumber', ['0x36', false])).toMatchObject({
        hash: recordedHead(),
      })
    })

    test('refuses another genesis by name, and a missing one', async () => {
      await imported.node.stop()
      const genesis = JSON.parse(readFileSync(join(recordedCases ?? '', 'genesis.json'), 'utf8'))
      genesis.extraData = '0x'
      const other = join(directory, 'other.json')
      writeFileSync(other, JSON.stringify(genesis))
      const { dataDir } = imported
      await expect(createNode({ port: 0, dataDir, genesis: other })).rejects.toThrow(/with genesis hash 0x/)
      genesis.config.blobSchedule.bpo2.max = 22
      writeFileSync(other, JSON.stringify(genesis))
      await expect(createNode({ port: 0, dataDir, genesis: other })).rejects.toThrow(/fork schedule/)
      await expect(createNode({ port: 0, dataDir })).rejects.toThrow(
        /with chain id 3503995874084926, not 31337/,
      )
      imported = await startImported({}, dataDir)
    })
  })

  /** Imports the chain with one block changed; returns the error message and the number of the last block kept. */
  async function refusalOf(number: number, change: (block: Uint8Array[][]) => void) {
    const blocks = readBlocks()
    const block = blocks[number - 1]
    if (block === undefined) throw new Error('there is no such block')
    change(block)
    const file = join(directory, 'changed.rlp')
    writeFileSync(file, Buffer.concat(blocks.map((each) => RLP.encode(each))))
    const dataDir = mkdtempSync(join(directory, 'data-'))
    const refusal = await startImported({ import: file }, dataDir).then(
      () => 'accepted',
      (error: Error) => error.message,
    )
    const before = await startImported({ import: undefined }, dataDir)
    const head = await before.node.request('eth_blockNumber')
    await before.remove()
    return { refusal: refusal.replace(`${file}: `, ''), head: Number(head) }
  }

  /** Sets a header field by its index in the RLP list. */
  const setField = (index: number, value: Uint8Array) => (block: Uint8Array[][]) => {
    const header = block[0] as Header
    header[index] = value
  }
  const flipField = (index: number) => (block: Uint8Array[][]) => {
    const bytes = Uint8Array.from((block[0] as Header)[index] ?? [])
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    setField(index, bytes)(block)
  }

  test.each([
    ['parentHash', 5, flipField(0), /^block 5: parentHash: it is not the head of the chain/],
    ['uncleHash', 5, flipField(1), /^block 5: uncleHash: expected 0x1dcc/],
    ['coinbase', 12, flipField(2), /^block 12: stateRoot: expected 0x/],
    ['stateRoot', 20, flipField(3), /^block 20: stateRoot: expected 0x/],
    ['transactionsRoot', 54, flipField(4), /^block 54: transactionsRoot: expected 0x/],
    ['receiptsRoot', 6, flipField(5), /^block 6: receiptsRoot: expected 0x/],
    ['logsBloom', 40, flipField(6), /^block 40: logsBloom: expected 0x/],
    ['difficulty', 10, flipField(7), /^block 10: difficulty: expected \d+, got \d+/],
    ['difficulty of zero', 10, setField(7, new Uint8Array(0)), /^block 10: difficulty: it is zero before/],
    [
      'difficulty after the merge',
      40,
      setField(7, Uint8Array.of(1)),
      /^block 40: difficulty: it is not zero after/,
    ],
    ['number', 3, setField(8, Uint8Array.of(9)), /^block 9: number: expected 3, got 9/],
    ['gasLimit', 30, setField(9, Uint8Array.of(1, 0, 0, 0)), /^block 30: gasLimit: 16777216 is too far/],
    ['gasUsed', 30, flipField(10), /^block 30: gasUsed: expected \d+, got \d+/],
    ['timestamp', 30, setField(11, Uint8Array.of(1)), /^block 30: timestamp: 1 is not after/],
    ['extraData', 30, setField(12, new Uint8Array(33)), /^block 30: extraData: 33 bytes/],
    ['nonce', 40, flipField(14), /^block 40: nonce: it is not zero/],
    ['baseFeePerGas', 28, flipField(15), /^block 28: baseFeePerGas: expected \d+, got \d+/],
    ['withdrawalsRoot', 45, flipField(16), /^block 45: withdrawalsRoot: expected 0x/],
    [
      'blobGasUsed',
      50,
      setField(17, Uint8Array.of(1)),
      /^block 50: blobGasUsed: 1 is not a whole number of blobs/,
    ],
    ['excessBlobGas', 50, setField(18, Uint8Array.of(2, 0, 0)), /^block 50: excessBlobGas: expected 0, got/],
    ['requestsHash', 50, flipField(20), /^block 50: requestsHash: expected 0x/],
    [
      'a leading zero',
      8,
      setField(8, Uint8Array.of(0, 8)),
      /^block 8: encoding: it is not the canonical RLP/,
    ],
    [
      'a field too many',
      8,
      (block) => (block[0] as Header).push(Uint8Array.of(7)),
      /^block 8: baseFeePerGas: expected none/,
    ],
    [
      'a short root',
      8,
      setField(3, new Uint8Array(31)),
      /encoding: field 3 of the header has 31 bytes, not 32/,
    ],
    ['a transaction left out', 54, (block) => block[1]?.pop(), /^block 54: transactionsRoot: expected/],
    [
      'a transaction twice',
      54,
      (block) => block[1]?.push(block[1][0]!),
      /^block 54: transaction 4: nonce too low: address/,
    ],
    [
      'a transaction of no type',
      54,
      (block) => block[1]?.push(Uint8Array.of(9, 9)),
      /^block 54: transaction 4: transaction type not supported/,
    ],
  ] as [string, number, (block: Uint8Array[][]) => void, RegExp][])(
    'names the number and field of a refused block, and keeps the blocks before it: %s',
    async (_, number, change, message) => {
      const { refusal, head } = await refusalOf(number, change)
      expect(refusal).toMatch(message)
      expect(head).toBe(number - 1)
    },
  )

  test('keeps the blocks before the end of a truncated file', async () => {
    const file = join(directory, 'short.rlp')
    writeFileSync(file, readFileSync(join(recordedCases ?? '', 'chain.rlp')).subarray(0, -10))
    const dataDir = mkdtempSync(join(directory, 'data-'))
    await expect(startImported({ import: file }, dataDir)).rejects.toThrow(
      'the file ends in the middle of the block',
    )
    const before = await startImported({ import: undefined }, dataDir)
    expect(await before.node.request('eth_blockNumber')).toBe('0x35')
    await before.remove()
  })

  test('refuses missing and malformed files in one line', async () => {
    const missing = join(directory, 'missing')
    await expect(startImported({ genesis: missing })).rejects.toThrow(/^--genesis: ENOENT.*missing/)
    await expect(startImported({ import: missing })).rejects.toThrow(/^--import: ENOENT.*missing/)
    const wrong = join(directory, 'wrong.json')
    copyFileSync(join(recordedCases ?? '', 'headfcu.json'), wrong)
    await expect(startImported({ genesis: wrong })).rejects.toThrow(`${wrong}: config: is missing`)
    await expect(startImported({ import: wrong })).rejects.toThrow(/encoding: it is not an RLP list/)
  })
})
