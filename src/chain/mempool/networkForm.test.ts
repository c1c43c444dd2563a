import { concat, fromRlp, keccak256, toRlp, type Hex, type TransactionSerializable } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { bytesToHex, hexToBytes } from '../../encoding/hex.js'
import { networkFormHash } from './networkForm.js'

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const to: Hex = `0x${'22'.repeat(20)}`
const hashOf = (raw: Hex) => bytesToHex(networkFormHash(hexToBytes(raw)))

test.each<TransactionSerializable>([
  { type: 'legacy', chainId: 1, nonce: 0, to, gas: 21_000n, gasPrice: 7n },
  { type: 'eip1559', chainId: 1, nonce: 1, to, gas: 21_000n, maxFeePerGas: 7n },
])('a transaction has the hash of its network form', async (transaction) => {
  const raw = await account.signTransaction(transaction)
  expect(hashOf(raw)).toBe(keccak256(raw))
})

test('a transaction with blobs has the hash of its form without them', async () => {
  const raw = await account.signTransaction({
    type: 'eip4844',
    chainId: 1,
    nonce: 2,
    to,
    gas: 21_000n,
    maxFeePerGas: 7n,
    maxFeePerBlobGas: 7n,
    blobVersionedHashes: [`0x01${'33'.repeat(31)}`],
  })
  const body = fromRlp(`0x${raw.slice(4)}`)
  const blobs: Hex[] = [`0x${'44'.repeat(64)}`]
  expect(hashOf(raw)).toBe(keccak256(raw))
  expect(hashOf(concat(['0x03', toRlp([body, blobs, blobs, blobs])]))).toBe(keccak256(raw))
  expect(hashOf(concat(['0x03', toRlp([body, '0x01', blobs, blobs, blobs])]))).toBe(keccak256(raw))
})
