import { EMPTY_CODE_HASH } from '../../../chain/state/account.js'
import { EMPTY_TRIE_ROOT } from '../../../chain/state/nodeRecord.js'
import { bytesToHex, quantity } from '../../../encoding/hex.js'
import { bytesWire, jsonQuantity } from '../../format/pieces.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { address } from '../../params/bytes.js'
import { WireBytes } from '../../wire.js'
import { latestBlock } from '../findBlock.js'

/** eth_getAccountInfo: returns an account's balance, nonce and code (reth and anvil: eth/api.rs). */
export const getAccountInfo = defineMethod(
  'eth_getAccountInfo',
  [required('address', address), optional('block', blockSelector)],
  async ({ view }, of, block = latestBlock) => {
    const { state } = await view.stateAt(block)
    const account = await state.getAccount(of)
    const [balance, nonce] = [account?.balance ?? 0n, account?.nonce ?? 0n]
    const start = `{"balance":${jsonQuantity(balance)},"nonce":${jsonQuantity(nonce)},"code":`
    // As text, because code may have megabytes.
    const code = await bytesWire(await state.getCode(of))
    return new WireBytes([start, ...code.pieces, '}'])
  },
)

/** eth_getAccount: returns an account as in the state trie; an absent one is empty (anvil/src/eth/api.rs). */
export const getAccount = defineMethod(
  'eth_getAccount',
  [required('address', address), optional('block', blockSelector)],
  async ({ view }, of, block = latestBlock) => {
    const { state } = await view.stateAt(block)
    const account = await state.getAccount(of)
    return {
      nonce: quantity(account?.nonce ?? 0n),
      balance: quantity(account?.balance ?? 0n),
      storageRoot: bytesToHex(account?.storageRoot ?? EMPTY_TRIE_ROOT),
      codeHash: bytesToHex(account?.codeHash ?? EMPTY_CODE_HASH),
    }
  },
)
