import { EMPTY_CODE_HASH } from '../../../chain/state/account.js'
import { EMPTY_TRIE_ROOT } from '../../../chain/state/nodeRecord.js'
import { bytesToBigint, bytesToHex, quantity } from '../../../encoding/hex.js'
import { type Steps, TimeSlice, runInSlices } from '../../../encoding/timeSlice.js'
import type { AccountProof } from '../../backend.js'
import { InvalidParamsError } from '../../errors.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { type StorageSlot, address, decodeStorageKey, storageKeys } from '../../params/bytes.js'
import { WireBytes, printJson } from '../../wire.js'
import { latestBlock } from '../findBlock.js'

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

/** Most keys of one request (geth: internal/ethapi/api.go). */
const maxKeys = 1024

const EMPTY_ACCOUNT = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH, storageRoot: EMPTY_TRIE_ROOT }

/** eth_getProof: proves an account and some of its slots (EIP-1186). */
export const getProof = defineMethod(
  'eth_getProof',
  [required('address', address), required('keys', storageKeys), optional('block', blockSelector)],
  async ({ view, backend }, account, keys, block = latestBlock) => {
    if (keys.length > maxKeys) {
      throw new InvalidParamsError(`too many storage keys requested (max ${maxKeys}, got ${keys.length})`)
    }
    const slots = keys.map(decodeStorageKey)
    const { state } = await view.stateAt(block)
    const proof = await backend.prover.prove(
      state,
      account,
      slots.map(({ slot }) => slot),
    )
    const proven =
      proof.account === undefined && backend.settings.compatibility.absentAccountsProveEmptyHashes
        ? { ...proof, account: EMPTY_ACCOUNT }
        : proof
    return runInSlices(formatProof(account, slots, proven), new TimeSlice())
  },
)
