import { createTxFromRLP, type TypedTransaction } from '@ethereumjs/tx'
import { Transaction, Wallet, getBytes, type TransactionLike } from 'ethers'
import { describe, expect, it } from 'vitest'
import type { EncodedBlock } from '../../src/chain/block/record.js'
import { runToCompletion } from '../../src/encoding/timeSlice.js'
import { blockEncoder, completeHeaderText } from '../../src/rpc/format/block.js'
import { removedLog } from '../../src/rpc/format/log.js'
import { formatProof } from '../../src/rpc/methods/eth/getProof.js'
import { signedTransactionText, transactionText } from '../../src/rpc/format/transaction.js'
import { decodeStorageKey } from '../../src/rpc/params/bytes.js'
import { filled, testBlock, testSealed } from './support/blocks.js'
import { osaka } from './support/fakeBackend.js'

const wallet = new Wallet(`0x${'11'.repeat(32)}`)
const to = `0x${'22'.repeat(20)}`
const slot = `0x${'33'.repeat(32)}`
const accessList = [{ address: to, storageKeys: [slot] }]

const base = { nonce: 5, gasLimit: 21000, to, value: 7, data: '0xabcd', chainId: 1 }
const dynamic = { ...base, maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n, accessList }

async function signed(
  fields: TransactionLike,
): Promise<{ reference: Transaction; decoded: TypedTransaction }> {
  const reference = Transaction.from(await wallet.signTransaction(fields))
  return { reference, decoded: createTxFromRLP(getBytes(reference.serialized), { common: osaka }) }
}

const hex = (value: bigint | number | null | undefined) => `0x${BigInt(value ?? 0).toString(16)}`

/** Returns the members that ethers decodes from the same signed bytes, named as in the standard. */
function expected({ reference: tx }: { reference: Transaction }): Record<string, unknown> {
  const { r, s, yParity, networkV } = tx.signature ?? { r: '0x', s: '0x', yParity: 0, networkV: null }
  return {
    from: tx.from?.toLowerCase(),
    gas: hex(tx.gasLimit),
    hash: tx.hash,
    input: tx.data,
    nonce: hex(tx.nonce),
    to: tx.to?.toLowerCase() ?? null,
    value: hex(tx.value),
    type: hex(tx.type),
    chainId: hex(tx.chainId),
    r: hex(BigInt(r)),
    s: hex(BigInt(s)),
    ...(tx.type === 0 ? { v: hex(networkV) } : { v: hex(yParity), yParity: hex(yParity), accessList }),
  }
}

const pooled = { blockHash: null, blockNumber: null, blockTimestamp: null, transactionIndex: null }

function textOf(transaction: TypedTransaction): unknown {
  return JSON.parse(transactionText(testSealed(transaction), undefined))
}

describe('pending transactions', () => {
  it('shows a replay-protected legacy transaction', async () => {
    const pair = await signed({ ...base, type: 0, gasPrice: 9 })
    expect(textOf(pair.decoded)).toEqual({ ...pooled, ...expected(pair), gasPrice: '0x9' })
  })

  it('shows no chain id without replay protection', async () => {
    const { to: recipient, ...creation } = base
    expect(recipient).toBe(to)
    const unsigned = Transaction.from({ ...creation, type: 0, gasPrice: 9, chainId: 0 })
    unsigned.signature = wallet.signingKey.sign(unsigned.unsignedHash)
    const decoded = createTxFromRLP(getBytes(unsigned.serialized), { common: osaka })
    const shown = JSON.parse(transactionText(testSealed(decoded), undefined))
    expect(shown).not.toHaveProperty('chainId')
    expect(shown).toMatchObject({
      to: null,
      from: wallet.address.toLowerCase(),
      v: hex(unsigned.signature.v),
    })
  })

  it('shows an access list', async () => {
    const pair = await signed({ ...base, type: 1, gasPrice: 9, accessList })
    expect(textOf(pair.decoded)).toEqual({ ...pooled, ...expected(pair), gasPrice: '0x9' })
  })

  it('shows the fee cap as the gas price of dynamic fees', async () => {
    const pair = await signed({ ...dynamic, type: 2 })
    expect(textOf(pair.decoded)).toEqual({
      ...pooled,
      ...expected(pair),
      gasPrice: hex(3_000_000_000),
      maxFeePerGas: hex(3_000_000_000),
      maxPriorityFeePerGas: hex(2_000_000_000),
    })
  })

  it('shows blob fields', async () => {
    const blobVersionedHashes = [`0x01${'44'.repeat(31)}`]
    const pair = await signed({ ...dynamic, type: 3, maxFeePerBlobGas: 4, blobVersionedHashes })
    expect(textOf(pair.decoded)).toMatchObject({
      ...expected(pair),
      maxFeePerBlobGas: '0x4',
      blobVersionedHashes,
    })
  })

  it('shows authorizations', async () => {
    const authorization = await wallet.authorize({ address: to, nonce: 1, chainId: 0 })
    const pair = await signed({ ...dynamic, type: 4, authorizationList: [authorization] })
    expect(textOf(pair.decoded)).toMatchObject({
      ...expected(pair),
      authorizationList: [
        {
          chainId: '0x0',
          address: to,
          nonce: '0x1',
          yParity: hex(authorization.signature.yParity),
          r: hex(BigInt(authorization.signature.r)),
          s: hex(BigInt(authorization.signature.s)),
        },
      ],
    })
  })

  it('shows a signed transaction without a block and with null fees', async () => {
    const { decoded, reference } = await signed({ ...dynamic, type: 2 })
    const shown = JSON.parse(signedTransactionText({ transaction: decoded, hash: decoded.hash() }))
    expect(shown).toMatchObject({
      gasPrice: shown.maxFeePerGas,
      hash: reference.hash,
      chainId: '0x1',
      accessList,
    })
    expect(shown).not.toHaveProperty('from')
    expect(shown).not.toHaveProperty('blockHash')
  })
})

function piece({ bytes }: EncodedBlock, span: { offset: number; length: number } | undefined) {
  const { offset, length } = span ?? { offset: 0, length: 0 }
  return JSON.parse(Buffer.from(bytes.subarray(offset, offset + length)).toString())
}

describe('blocks', async () => {
  const log = { address: filled(20, 0xad), topics: [filled(32, 1), filled(32, 2)], data: Uint8Array.of(9, 8) }
  const first = (await signed({ ...dynamic, type: 2 })).decoded
  const second = (await signed({ ...base, type: 0, gasPrice: 9, nonce: 6 })).decoded
  const sealed = [
    testSealed(first, [log, { ...log, data: new Uint8Array() }]),
    testSealed(second, [log], { status: 0, contractAddress: filled(20, 0xcc), cumulativeGasUsed: 42_000n }),
  ]
  const block = { ...testBlock(2n, sealed), uncleHashes: [filled(32, 0x77)] }
  const encoded = runToCompletion(blockEncoder.encode(block))
  const at = { blockHash: hex(BigInt(`0x${'a2'.repeat(32)}`)), blockNumber: '0x2' }

  it('opens a block object to which transactions are appended', () => {
    const head = Buffer.from(encoded.bytes.subarray(0, encoded.head.length)).toString()
    const shown = JSON.parse(`${head},"transactions":[]}`)
    expect(shown).toMatchObject({
      number: '0x2',
      hash: at.blockHash,
      size: '0x258',
      timestamp: '0x3ea',
      baseFeePerGas: '0x3b9aca00',
      uncles: [`0x${'77'.repeat(32)}`],
      withdrawals: [],
      extraData: '0xee',
      nonce: '0x0000000000000000',
      miner: `0x${'cb'.repeat(20)}`,
    })
    expect(Object.keys(shown)).toHaveLength(26)
    expect(shown).not.toHaveProperty('totalDifficulty')
  })

  it('omits fields that the fork does not have', () => {
    const { number, ...frontier } = testBlock(1n).header
    const header = {
      ...frontier,
      number,
      baseFeePerGas: undefined,
      withdrawalsRoot: undefined,
      blobGasUsed: undefined,
      excessBlobGas: undefined,
      parentBeaconBlockRoot: undefined,
      requestsHash: undefined,
    }
    const { bytes } = runToCompletion(
      blockEncoder.encode({ ...testBlock(1n), header, withdrawals: undefined }),
    )
    const shown = JSON.parse(`${Buffer.from(bytes).toString()}}`)
    expect(Object.keys(shown)).toHaveLength(18)
    expect(JSON.parse(completeHeaderText(block.hash, header))).toMatchObject({
      baseFeePerGas: null,
      withdrawalsRoot: null,
      slotNumber: null,
      hash: at.blockHash,
    })
  })

  it('gives transactions their effective price and position', () => {
    expect(piece(encoded, encoded.transactions[0])).toMatchObject({
      ...at,
      transactionIndex: '0x0',
      blockTimestamp: '0x3ea',
      gasPrice: hex(3_000_000_000),
    })
    expect(piece(encoded, encoded.transactions[1])).toMatchObject({
      transactionIndex: '0x1',
      gasPrice: '0x9',
    })
  })

  it('writes receipts with their logs', () => {
    const receipt = piece(encoded, encoded.receipts[0])
    expect(receipt).toEqual({
      ...at,
      contractAddress: null,
      cumulativeGasUsed: '0x5208',
      effectiveGasPrice: hex(1_500_000_000),
      from: wallet.address.toLowerCase(),
      gasUsed: '0x5208',
      logs: [piece(encoded, encoded.logs[0]), piece(encoded, encoded.logs[1])],
      logsBloom: `0x${'01'.repeat(256)}`,
      status: '0x1',
      to,
      transactionHash: `0x${Buffer.from(first.hash()).toString('hex')}`,
      transactionIndex: '0x0',
      type: '0x2',
    })
    expect(piece(encoded, encoded.receipts[1])).toMatchObject({
      status: '0x0',
      contractAddress: `0x${'cc'.repeat(20)}`,
      logs: [piece(encoded, encoded.logs[2])],
    })
  })

  it('numbers logs across the block', () => {
    expect(encoded.logs.map((span) => piece(encoded, span).logIndex)).toEqual(['0x0', '0x1', '0x2'])
    for (const count of [0, 1, 2, 3, 4]) {
      const topics = new Array<Uint8Array>(count).fill(filled(32, 7))
      const other = runToCompletion(
        blockEncoder.encode(testBlock(1n, [testSealed(first, [{ ...log, topics }])])),
      )
      const { offset, length } = other.logs[0] ?? { offset: 0, length: 0 }
      expect(blockEncoder.topicCount(other.bytes.subarray(offset, offset + length))).toBe(count)
    }
    const span = encoded.logs[0] ?? { offset: 0, length: 0 }
    expect(piece(encoded, span)).toEqual({
      ...at,
      address: `0x${'ad'.repeat(20)}`,
      topics: [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`],
      data: '0x0908',
      transactionHash: `0x${Buffer.from(first.hash()).toString('hex')}`,
      transactionIndex: '0x0',
      blockTimestamp: '0x3ea',
      logIndex: '0x0',
      removed: false,
    })
    const bytes = encoded.bytes.subarray(span.offset, span.offset + span.length)
    expect(JSON.parse(Buffer.from(removedLog(bytes)).toString())).toEqual({
      ...piece(encoded, span),
      removed: true,
    })
  })

  it('writes the state root instead of the status before Byzantium', () => {
    const old = testSealed(second, [], { status: undefined, stateRoot: filled(32, 5) })
    const other = runToCompletion(blockEncoder.encode(testBlock(2n, [old])))
    const receipt = piece(other, other.receipts[0])
    expect(receipt.root).toBe(`0x${'05'.repeat(32)}`)
    expect(receipt).not.toHaveProperty('status')
  })
})

describe('proofs', () => {
  it('echoes keys as hashes or quantities and gives absent accounts zero hashes', () => {
    const keys = [`0x${'00'.repeat(31)}07`, '0x00', '7', '']
    const slots = keys.map(decodeStorageKey)
    const storageProof = slots.map(({ slot }) => ({
      slot,
      proof: [Uint8Array.of(1)],
      value: new Uint8Array(),
    }))
    const account = { nonce: 0n, balance: 0n, storageRoot: filled(32, 3), codeHash: filled(32, 4) }
    const proven = { exists: false, account, accountProof: [], storageProof }
    const pieces = formatProof(filled(20, 1), slots, proven)
    const proof = runToCompletion(pieces).parse()
    expect(proof).toMatchObject({
      codeHash: `0x${'00'.repeat(32)}`,
      storageHash: `0x${'00'.repeat(32)}`,
      balance: '0x0',
      storageProof: [
        { key: keys[0], value: '0x0', proof: ['0x01'] },
        { key: '0x0' },
        { key: '0x7' },
        { key: '0x0' },
      ],
    })
  })
})
