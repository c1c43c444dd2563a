import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { expect, test } from 'vitest'
import { bytesToHex } from '../../encoding/hex.js'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { orderedRoot } from './body.js'
import { EMPTY_TRIE_ROOT } from '../state/nodeRecord.js'

test('an empty list has the root of the empty trie', () => {
  expect(bytesToHex(EMPTY_TRIE_ROOT)).toBe(
    '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  )
  expect(runToCompletion(orderedRoot([]))).toEqual(EMPTY_TRIE_ROOT)
})

test.each([1, 2, 3, 16, 17, 127, 128, 129, 200, 300, 1000])(
  '%i values give the root of @ethereumjs/mpt',
  async (count) => {
    const values = Array.from({ length: count }, (_, i) =>
      new Uint8Array((i * 37) % 90 || 1).fill((i % 255) + 1),
    )
    const trie = new MerklePatriciaTrie()
    for (const [index, value] of values.entries()) await trie.put(RLP.encode(index), value)
    expect(bytesToHex(runToCompletion(orderedRoot(values)))).toBe(bytesToHex(trie.root()))
  },
)
