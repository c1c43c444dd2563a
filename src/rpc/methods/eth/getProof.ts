import type { AccountProof } from '../../../chain/state/accountProof.js'
import { bytesToBigint, bytesToHex, quantity } from '../../../encoding/hex.js'
import { type Steps, TimeSlice, runInSlices } from '../../../encoding/timeSlice.js'
import { InvalidParamsError } from '../../errors.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { type StorageSlot, address, decodeStorageKey, storageKeys } from '../../params/bytes.js'
import { WireBytes, printJson } from '../../wire.js'
import { latestBlock } from '../findBlock.js'

const absentHash = bytesToHex(new Uint8Array(32))
/** RLP of the root of an empty trie. */
const EMPTY_NODE = '0x80'

/**
 * Formats the result of eth_getProof, slot by slot. An absent account has zero hashes; a key given with 32 bytes is
 * echoed as a hash, any other as a QUANTITY (geth: internal/ethapi/api.go, GetProof).
 *
 * @param proofOfNothing - proof of a slot in an empty trie
 */
export function* formatProof(
  address: Uint8Array,
  slots: readonly StorageSlot[],
  { exists, account, accountProof, storageProof }: AccountProof,
  proofOfNothing: readonly string[] = [],
): Steps<WireBytes> {
  const members = printJson({
    address: bytesToHex(address),
    accountProof: accountProof.map(bytesToHex),
    balance: quantity(account.balance),
    codeHash: exists ? bytesToHex(account.codeHash) : absentHash,
    nonce: quantity(account.nonce),
    storageHash: exists ? bytesToHex(account.storageRoot) : absentHash,
  })
  const pieces = [`${members.slice(0, -1)},"storageProof":[`]
  for (const [index, { slot, value, proof }] of storageProof.entries()) {
    const text = printJson({
      key: slots[index]?.inputLength === 32 ? bytesToHex(slot) : quantity(bytesToBigint(slot)),
      value: quantity(bytesToBigint(value)),
      proof: proof.length === 0 ? proofOfNothing : proof.map(bytesToHex),
    })
    pieces.push(index === 0 ? text : `,${text}`)
    yield
  }
  pieces.push(']}')
  return new WireBytes(pieces)
}

/** Maximum number of keys per request (geth: internal/ethapi/api.go). */
const MAX_KEYS = 1024

/** eth_getProof: proves an account and some of its slots (EIP-1186). */
export const getProof = defineMethod(
  'eth_getProof',
  [required('address', address), required('keys', storageKeys), optional('block', blockSelector)],
  async ({ view, backend }, account, keys, block = latestBlock) => {
    if (keys.length > MAX_KEYS) {
      throw new InvalidParamsError(`too many storage keys requested (max ${MAX_KEYS}, got ${keys.length})`)
    }
    const slots = keys.map(decodeStorageKey)
    const { state } = await view.stateAt(block)
    const proof = await backend.prover.prove(
      state,
      account,
      slots.map(({ slot }) => slot),
    )
    const { proofsShowEmptiness } = backend.settings.compatibility
    const shown = { ...proof, exists: proof.exists || proofsShowEmptiness }
    const proofOfNothing = proofsShowEmptiness ? [EMPTY_NODE] : []
    return runInSlices(formatProof(account, slots, shown, proofOfNothing), new TimeSlice())
  },
)
