import { RLP } from '@ethereumjs/rlp'
import { parseTransaction, serializeTransaction, type Hex, type TransactionSerializable } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../encoding/hex.js'
import { privateKeyToAddress } from '../crypto.js'
import { TransactionRejectedError } from '../errors.js'
import { createRules } from '../evm/forkSchedule.js'
import { decodeTransaction, fieldsOf } from './decode.js'
import { recoverTransaction } from './transaction.js'

const rules = createRules({ chainId: 31337n, hardfork: 'osaka' })
const privateKey: Hex = `0x${'07'.repeat(32)}`
const account = privateKeyToAccount(privateKey)
const to = `0x${'ab'.repeat(20)}` as const
const accessList = [{ address: to, storageKeys: [`0x${'01'.repeat(32)}` as const] }]
const feeMarket = { maxFeePerGas: 300n, maxPriorityFeePerGas: 2n }
const shared = { chainId: 31337, nonce: 3, gas: 100_000n, value: 5n, data: '0x0102' as const }

const transactions: [string, TransactionSerializable][] = [
  ['legacy', { type: 'legacy', ...shared, to, gasPrice: 7n }],
  ['legacy creation', { type: 'legacy', ...shared, gasPrice: 7n }],
  ['legacy without chain id', { type: 'legacy', ...shared, chainId: undefined, to, gasPrice: 7n }],
  ['access list', { type: 'eip2930', ...shared, to, gasPrice: 7n, accessList }],
  ['fee market', { type: 'eip1559', ...shared, to, ...feeMarket, accessList }],
  ['fee market creation', { type: 'eip1559', ...shared, ...feeMarket }],
]

describe('decodeTransaction', () => {
  it.each(transactions)('decodes a transaction encoded by viem: %s', async (_, transaction) => {
    const raw = hexToBytes(await account.signTransaction(transaction))
    const fields = decodeTransaction(raw)
    const pooled = recoverTransaction(fields, rules)
    expect(bytesToHex(pooled.sender)).toBe(account.address.toLowerCase())
    expect(pooled.transaction.serialize()).toEqual(raw)
    expect(fieldsOf(pooled.transaction)).toEqual(fields)
    const parsed = parseTransaction(bytesToHex(raw))
    expect({ nonce: Number(fields.nonce), gas: fields.gasLimit, value: fields.value }).toEqual({
      nonce: parsed.nonce,
      gas: parsed.gas,
      value: parsed.value,
    })
  })

  it('decodes a set-code transaction', async () => {
    const authorization = await account.signAuthorization({ contractAddress: to, chainId: 31337, nonce: 4 })
    const raw = hexToBytes(
      await account.signTransaction({
        type: 'eip7702',
        ...shared,
        to,
        ...feeMarket,
        authorizationList: [authorization],
      }),
    )
    const fields = decodeTransaction(raw)
    const pooled = recoverTransaction(fields, rules)
    expect(pooled.transaction.serialize()).toEqual(raw)
    expect(pooled.sender).toEqual(privateKeyToAddress(hexToBytes(privateKey)))
    expect(fieldsOf(pooled.transaction)).toEqual(fields)
    expect(fields.authorizationList).toMatchObject([{ chainId: 31337n, nonce: 4n }])
  })

  it('decodes a blob transaction with its sidecar', async () => {
    const [blob, commitment, proof] = [131_072, 48, 48].map((length) => new Uint8Array(length).fill(1))
    const plain = hexToBytes(
      await account.signTransaction({
        type: 'eip4844',
        ...shared,
        to,
        ...feeMarket,
        maxFeePerBlobGas: 9n,
        blobVersionedHashes: [`0x01${'02'.repeat(31)}`],
      }),
    )
    const body = RLP.decode(plain.subarray(1))
    const wrap = (items: unknown[]) => Uint8Array.from([3, ...RLP.encode([body, ...items] as Uint8Array[])])
    const v0 = decodeTransaction(wrap([[blob], [commitment], [proof]]))
    expect(v0.sidecar).toEqual({ version: 0, blobs: [blob], commitments: [commitment], proofs: [proof] })
    const v1 = decodeTransaction(wrap([1, [blob], [commitment], [proof]]))
    expect(v1.sidecar?.version).toBe(1)
    expect(v1).toMatchObject({ type: 3, maxFeePerBlobGas: 9n, nonce: 3n })
    expect(decodeTransaction(plain).sidecar).toBeUndefined()
    expect(recoverTransaction(v1, rules).transaction.serialize()).toEqual(plain)
  })

  const fields = [1, 2, 3, new Uint8Array(20), 5, '0x', 27, 1, 1]
  const encode = (items: unknown[]) => RLP.encode(items as Uint8Array[])
  const replaced = (index: number, value: unknown) =>
    encode(fields.map((field, i) => (i === index ? value : field)))
  const typed = (type: number, items: unknown[]) => Uint8Array.from([type, ...encode(items)])
  /** The leading fields of blob and set-code transactions. */
  const bounded = [31337, 0, 1, 2, 21_000, new Uint8Array(20), 0, '0x', []]
  const blobBody = [...bounded, 9, [], 0, 1, 1]
  /** A list nested to a depth. */
  const nested = (depth: number) => {
    const heads: number[][] = []
    for (let length = 1, i = 0; i < depth; i++) {
      const digits = [length >> 16, (length >> 8) & 255, length & 255]
      while (digits[0] === 0) digits.shift()
      const head = length < 56 ? [0xc0 + length] : [0xf7 + digits.length, ...digits]
      heads.push(head)
      length += head.length
    }
    return Uint8Array.from([...heads.reverse().flat(), 0xc0])
  }

  it.each<[string, Uint8Array, string]>([
    ['nothing', new Uint8Array(0), 'typed transaction too short'],
    ['one byte', Uint8Array.of(2), 'typed transaction too short'],
    ['an unknown type', Uint8Array.of(0x12, 0xc0), 'transaction type not supported'],
    ['type zero', Uint8Array.of(0x00, 0xc0), 'transaction type not supported'],
    ['too few fields', encode(fields.slice(0, 8)), 'rlp: too few elements for types.LegacyTx'],
    ['too many fields', encode([...fields, 1]), 'rlp: input list has too many elements for types.LegacyTx'],
    ['an empty list', Uint8Array.of(2, 0xc0), 'rlp: too few elements for types.DynamicFeeTx'],
    ['no list', Uint8Array.of(2, 0x83, 1, 2, 3), 'rlp: expected input list for types.DynamicFeeTx'],
    ['trailing bytes', Uint8Array.from([...encode(fields), 0]), 'rlp: input contains more than one value'],
    ['cut short', encode(fields).slice(0, -1), 'rlp: value size exceeds available input length'],
    [
      'an element longer than the enclosing list',
      Uint8Array.of(0xc2, 0x83, 1),
      'rlp: element is larger than containing list',
    ],
    [
      'a list for the gas that exceeds the enclosing list by the size of its header',
      Uint8Array.of(0xc4, 1, 1, 0xc2, 1, 1, 1),
      'rlp: expected input string or byte for uint64, decoding into (types.LegacyTx).Gas',
    ],
    [
      'a list for the nonce that exceeds the input by the size of its header',
      Uint8Array.of(0xc3, 0xc3, 1, 1),
      'rlp: value size exceeds available input length',
    ],
    [
      'a long form for a short list',
      Uint8Array.of(0xf8, 1, 1),
      'rlp: non-canonical size information for types.LegacyTx',
    ],
    [
      'a byte in a string of one',
      Uint8Array.of(0xc2, 0x81, 1),
      'rlp: non-canonical size information for uint64, decoding into (types.LegacyTx).Nonce',
    ],
    [
      'a long form as the gas price',
      Uint8Array.of(0xc4, 1, 0xb8, 1, 1),
      'rlp: non-canonical size information for *big.Int, decoding into (types.LegacyTx).GasPrice',
    ],
    [
      'a long form as the recipient',
      Uint8Array.of(0xc6, 1, 1, 1, 0xb8, 1, 1),
      'rlp: non-canonical size information for *common.Address, decoding into (types.LegacyTx).To',
    ],
    [
      'a byte in a string of one as the recipient',
      Uint8Array.of(0xc5, 1, 1, 1, 0x81, 1),
      'rlp: input string too short for common.Address, decoding into (types.LegacyTx).To',
    ],
    [
      'a long form as an access list',
      Uint8Array.of(2, 0xcb, 1, 1, 1, 1, 1, 0x80, 1, 1, 0xf8, 1, 1),
      'rlp: non-canonical size information for types.AccessList, decoding into (types.DynamicFeeTx).AccessList',
    ],
    [
      'a long form as the address of an access tuple, which geth does not locate',
      Uint8Array.of(2, 0xcd, 1, 1, 1, 1, 1, 0x80, 1, 1, 0xc4, 0xc3, 0xb8, 1, 1),
      'rlp: non-canonical size information',
    ],
    [
      'a wrong field before a wrong encoding',
      Uint8Array.of(0xc4, 0xc0, 0xb8, 1, 1),
      'rlp: expected input string or byte for uint64, decoding into (types.LegacyTx).Nonce',
    ],
    [
      'a wrong field before bytes after the list',
      Uint8Array.of(0xc1, 0xc0, 0),
      'rlp: expected input string or byte for uint64, decoding into (types.LegacyTx).Nonce',
    ],
    [
      'a long form as the chain id of a blob transaction, whose kind is checked first',
      Uint8Array.of(3, 0xc3, 0xb8, 1, 1),
      'rlp: non-canonical size information',
    ],
    [
      'a long form as the nonce of a blob transaction',
      Uint8Array.of(3, 0xc4, 1, 0xb8, 1, 1),
      'rlp: non-canonical size information for uint64, decoding into (types.BlobTx).Nonce',
    ],
    ['a blob transaction that is not a list', Uint8Array.of(3, 0x81, 0x80), 'rlp: expected List'],
    ['a blob transaction of nothing', Uint8Array.of(3, 0xc0), 'unexpected EOF'],
    ['a blob transaction without a sidecar', Uint8Array.of(3, 0xc1, 0xc0), 'unexpected EOF'],
    [
      'a nonce with a leading zero',
      replaced(0, Uint8Array.of(0, 1)),
      'rlp: non-canonical integer (leading zero bytes) for uint64, decoding into (types.LegacyTx).Nonce',
    ],
    [
      'a nonce of nine bytes',
      replaced(0, new Uint8Array(9).fill(1)),
      'rlp: input string too long for uint64, decoding into (types.LegacyTx).Nonce',
    ],
    [
      'a short address',
      replaced(3, new Uint8Array(19).fill(1)),
      'rlp: input string too short for common.Address, decoding into (types.LegacyTx).To',
    ],
    [
      'a list as the value',
      replaced(4, []),
      'rlp: expected input string or byte for *big.Int, decoding into (types.LegacyTx).Value',
    ],
    [
      'an empty list as the recipient',
      replaced(3, []),
      'rlp: wrong kind of empty value (got List, want String) for *common.Address, decoding into (types.LegacyTx).To',
    ],
    ['a length that is cut short', Uint8Array.of(0xf9, 1), 'rlp: value size exceeds available input length'],
    [
      'a blob fee of 33 bytes',
      typed(3, [...bounded, new Uint8Array(33).fill(1), [], 0, 1, 1]),
      'rlp: value too large for uint256',
    ],
    [
      'a chain id of 33 bytes where numbers have 32',
      typed(4, [new Uint8Array(33).fill(1), ...bounded.slice(1), [], 0, 1, 1]),
      'rlp: value too large for uint256',
    ],
    [
      'an access tuple without keys',
      typed(3, [...bounded.slice(0, 8), [[new Uint8Array(20)]], 9, [], 0, 1, 1]),
      'rlp: too few elements for types.AccessTuple, decoding into (types.BlobTx).AccessList[0]',
    ],
    [
      'a short blob',
      typed(3, [blobBody, [new Uint8Array(7)], [], []]),
      'rlp: input string too short for kzg4844.Blob, decoding into (types.blobTxWithBlobsV0).Blobs[0]',
    ],
    [
      'a long proof',
      typed(3, [blobBody, 1, [], [], [new Uint8Array(49)]]),
      'rlp: input string too long for kzg4844.Proof, decoding into (types.blobTxWithBlobsV1).Proofs[0]',
    ],
    [
      'a wrong field of a transaction with blobs',
      typed(3, [[...bounded.slice(0, 5), 1], [], [], []]),
      'rlp: input string too short for common.Address, decoding into (types.blobTxWithBlobsV0).BlobTx.To',
    ],
    [
      'a version of the sidecar that is not 1',
      typed(3, [blobBody, 0, [], [], []]),
      'unsupported blob tx version 0',
    ],
    [
      'deeply nested lists',
      nested(100_000),
      'rlp: expected input string or byte for uint64, decoding into (types.LegacyTx).Nonce',
    ],
  ])("rejects %s with geth's message", (_, raw, words) => {
    expect(() => decodeTransaction(raw)).toThrow(TransactionRejectedError)
    expect(() => decodeTransaction(raw)).toThrow(words)
  })

  it('rejects an unsigned legacy transaction of viem', () => {
    const unsigned = serializeTransaction({ type: 'eip1559', ...shared, to, ...feeMarket })
    expect(() => decodeTransaction(hexToBytes(unsigned))).toThrow(
      'rlp: too few elements for types.DynamicFeeTx',
    )
  })
})
