import { encodeRlp, keccak256, toBeHex } from 'ethers'
import { createMerkleProof, createMPT } from '@ethereumjs/mpt'
import { expect, it } from 'vitest'
import { verifyMerkleProof } from './merkleProof.js'

const hexToBytes = (hex: string) => Uint8Array.from(Buffer.from(hex.slice(2), 'hex'))
const bytesToHex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`

it('agrees with another trie implementation on present and absent keys', async () => {
  const trie = await createMPT()
  const key = (index: number) => keccak256(toBeHex(index, 32))
  for (let index = 0; index < 300; index++) {
    await trie.put(hexToBytes(key(index)), hexToBytes(encodeRlp(toBeHex(index + 1))))
  }
  const root = bytesToHex(trie.root())
  for (const index of [0, 7, 299, 300, 5000]) {
    const proof = (await createMerkleProof(trie, hexToBytes(key(index)))).map(bytesToHex)
    expect(verifyMerkleProof(root, key(index), proof)).toBe(
      index < 300 ? encodeRlp(toBeHex(index + 1)) : undefined,
    )
    expect(() => verifyMerkleProof(keccak256('0x'), key(index), proof)).toThrow('another hash')
    expect(() => verifyMerkleProof(root, key(index), proof.slice(0, -1))).toThrow()
  }
})
