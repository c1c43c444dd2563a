import { EMPTY_CODE_HASH } from '../../../chain/state/account.js'
import { EMPTY_ROOT } from '../../../chain/state/trieNode.js'
import { runInSlices, TimeSlice } from '../../../encoding/timeSlice.js'
import { address } from '../../params/address.js'
import { blockSelector } from '../../params/blockSelector.js'
import { InvalidParamsError } from '../../errors.js'
import { formatProof } from '../../format/proof.js'
import { decodeStorageKey, storageKeys } from '../../params/storageKey.js'
import { latestBlock } from '../latestBlock.js'
import { defineMethod, optional, required } from '../../method.js'

/** Most keys of one request (geth: internal/ethapi/api.go). */
const maxKeys = 1024

const EMPTY_ACCOUNT = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH, storageRoot: EMPTY_ROOT }

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
