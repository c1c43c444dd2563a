import { bytesToHex } from '../../encoding/hex.js'
import { bytesToBigint, quantity } from '../../encoding/quantity.js'
import type { Steps } from '../../encoding/timeSlice.js'
import type { AccountProof } from '../backend.js'
import type { StorageSlot } from '../params/storageKey.js'
import { WireBytes, printJson } from '../wire.js'

const absentHash = bytesToHex(new Uint8Array(32))

/**
 * The result of eth_getProof, in the form of the wire, one slot after another. An absent account has zero hashes; a key
 * is echoed as a hash if it was given with 32 bytes, and else as a QUANTITY (geth: internal/ethapi/api.go, GetProof).
 */
export function* formatProof(
  address: Uint8Array,
  slots: readonly StorageSlot[],
  { account, accountProof, storageProof }: AccountProof,
): Steps<WireBytes> {
  const members = printJson({
    address: bytesToHex(address),
    accountProof: accountProof.map(bytesToHex),
    balance: quantity(account?.balance ?? 0n),
    codeHash: account === undefined ? absentHash : bytesToHex(account.codeHash),
    nonce: quantity(account?.nonce ?? 0n),
    storageHash: account === undefined ? absentHash : bytesToHex(account.storageRoot),
  })
  const pieces = [`${members.slice(0, -1)},"storageProof":[`]
  for (const [index, { slot, inputLength }] of slots.entries()) {
    const { value = 0n, proof = [] } = storageProof[index] ?? {}
    const text = printJson({
      key: inputLength === 32 ? bytesToHex(slot) : quantity(bytesToBigint(slot)),
      value: quantity(value),
      proof: proof.map(bytesToHex),
    })
    pieces.push(index === 0 ? text : `,${text}`)
    yield
  }
  pieces.push(']}')
  return new WireBytes(pieces)
}
