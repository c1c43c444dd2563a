import { RLP } from '@ethereumjs/rlp'
import { describe, expect, it } from 'vitest'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { decodeBlockHash } from './decode.js'

type Item = Parameters<typeof RLP.encode>[0]

const bytes = (length: number) => new Uint8Array(length).fill(7)
const sizes = [32, 32, 20, 32, 32, 32, 256, 1, 1, 3, 2, 4, 5, 32, 8]
const header = sizes.map(bytes)
const legacy = [1, 2, 3, bytes(20), 1, bytes(3), 27, bytes(32), bytes(32)]
const feeMarket = Uint8Array.from([2, ...RLP.encode([1, 2, 3, 4, 5, bytes(20), 1, bytes(3), [], 1, 2, 3])])
const block = (...parts: Item[]) => RLP.encode([header, ...parts])

/** Makes the one-byte header of the last such list claim a greater length. */
function lengthen(encoded: Uint8Array, list: Item, by: number): Uint8Array {
  const part = Buffer.from(RLP.encode(list))
  const at = Buffer.from(encoded).lastIndexOf(part)
  return encoded.map((byte, index) => (index === at ? byte + by : byte))
}

describe('an invalid block', () => {
  // Messages of geth 1.17.10 for debug_traceBlock.
  it.each<[string, Uint8Array, string]>([
    ['too few parts', block([]), 'rlp: too few elements for types.extblock'],
    ['a part too many', block([], [], [], []), 'rlp: input list has too many elements for types.extblock'],
    [
      'a legacy transaction of too few fields',
      block([legacy, legacy.slice(0, 8)], []),
      'rlp: too few elements for types.LegacyTx, decoding into (types.Block)(types.extblock).Txs[1]',
    ],
    [
      'a typed transaction with a wrong gas limit',
      block([Uint8Array.from([1, ...RLP.encode([1, 2, 3, bytes(9)])])], []),
      'rlp: input string too long for uint64, decoding into (types.Block)(types.extblock).Txs[0](types.AccessListTx).Gas',
    ],
    [
      'a typed transaction with too few fields',
      block([Uint8Array.from([2, ...RLP.encode([1])])], []),
      'rlp: too few elements for types.DynamicFeeTx, decoding into (types.Block)(types.extblock).Txs[0]',
    ],
    ['an unknown type', block([Uint8Array.of(9, 0xc0)], []), 'transaction type not supported'],
    ['a transaction of one byte', block([Uint8Array.of(2)], []), 'typed transaction too short'],
    [
      'a signature that is too long',
      block([[...legacy.slice(0, 7), bytes(33), 1]], []),
      'transaction chain id or signature value exceeds 256 bits',
    ],
    [
      'an invalid access list',
      block(
        [
          Uint8Array.from([
            1,
            ...RLP.encode([1, 2, 3, 4, bytes(20), 1, bytes(3), [[bytes(20), [bytes(31)]]]]),
          ]),
        ],
        [],
      ),
      'rlp: input string too short for common.Hash, decoding into (types.Block)(types.extblock).Txs[0](types.AccessListTx).AccessList[0].StorageKeys[0]',
    ],
    [
      'an uncle without a number',
      block([feeMarket], [header.slice(0, 8)]),
      'rlp: too few elements for types.Header, decoding into (types.Block)(types.extblock).Uncles[0]',
    ],
    [
      'a withdrawal with a short address',
      block([], [], [[1, 2, bytes(19), 4]]),
      'rlp: input string too short for common.Address, decoding into (types.Block)(types.extblock).Withdrawals[0].Address',
    ],
    [
      'a withdrawal of three fields',
      block([], [], [[1, 2, bytes(20)]]),
      'rlp: too few elements for types.Withdrawal, decoding into (types.Block)(types.extblock).Withdrawals[0]',
    ],
    [
      'a list of withdrawals that reaches one byte beyond the block',
      lengthen(block([], [], [[1, 2, bytes(20), 4]]), [[1, 2, bytes(20), 4]], 1),
      'rlp: value size exceeds available input length',
    ],
  ])('%s', (_, encoded, words) => {
    expect(() => runToCompletion(decodeBlockHash(encoded))).toThrow(words)
  })
})
