import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { expect, it } from 'vitest'
import { bytesToHex } from '../../encoding/hex.js'
import type { CallObject } from '../calls/callObject.js'
import { keccak256 } from '../crypto.js'
import { messageFromCall, unsignedHashOf, unsignedTransactionOf } from './message.js'

const rules = new Common({ chain: Mainnet, hardfork: Hardfork.Osaka })
const to = new Uint8Array(20).fill(0xb0)
const accessList = Array.from({ length: 1300 }, (_, index) => ({
  address: new Uint8Array(20).fill(index),
  storageKeys: Array.from({ length: index % 4 }, (_key, key) => new Uint8Array(32).fill(key)),
}))
const authorization = { chainId: 1n, address: to, nonce: 0n, yParity: 1n, r: 5n, s: 6n }

const calls: [string, CallObject][] = [
  ['a legacy call', { to, gasPrice: 7n }],
  ['type 1', { to, gasPrice: 7n, accessList }],
  ['type 2 without a list', { to, data: Uint8Array.of(1, 2) }],
  ['type 2', { to, value: 5n, accessList }],
  ['a creation', { data: Uint8Array.of(0), accessList: accessList.slice(0, 1) }],
  ['type 3', { to, blobVersionedHashes: [new Uint8Array(32).fill(1)], maxFeePerBlobGas: 1n, accessList }],
  ['type 4', { to, authorizationList: [authorization], accessList }],
  [
    'type 4 with many authorizations',
    {
      to,
      authorizationList: Array.from({ length: 1300 }, (_, index) => ({
        ...authorization,
        nonce: BigInt(index),
      })),
    },
  ],
]

it.each(calls)("hashes %s like the library's encoding", async (_, call) => {
  const message = messageFromCall(call, { chainId: 1n, baseFee: 7n, gasCap: 50_000_000n })
  const encoded = unsignedTransactionOf(call, message, rules).serialize()
  expect(bytesToHex(await unsignedHashOf(call, message, rules))).toBe(bytesToHex(keccak256(encoded)))
})
