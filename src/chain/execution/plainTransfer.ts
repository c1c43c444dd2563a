import { bytesEqual } from '../../encoding/hex.js'
import { EMPTY_CODE_HASH, NO_BYTES } from '../state/account.js'
import { increased, MAX_BALANCE } from '../state/balance.js'
import { EMPTY_RECORD, isEmptyRecord, type AccountRecord } from '../state/entries.js'
import type { WorkingState } from '../state/workingState.js'
import type { Message } from './message.js'
import type { PooledEvm } from './pooledEvm.js'
import type { CheckedMessage } from './preCheck.js'
import type { MessageResult } from './messageResult.js'

/**
 * Runs a message that moves ether to an account without code, and so runs no code, without a frame of ethereumjs'
 * virtual machine: the most frequent transaction on a devnet, and most of its cost.
 *
 * What it does to the state is what a frame does: the nonce, the value, the fee to the coinbase. Whatever is unusual
 * (authorizations, an account that EIP-161 would remove, a balance that has no room, somebody who watches, a state that
 * cannot answer at once) is left to a frame.
 *
 * @returns undefined if the message is not that plain; nothing has changed then
 */
export function runPlainTransfer(
  evm: PooledEvm,
  message: Message,
  { intrinsic, floor, blobGas, isFree }: CheckedMessage,
): MessageResult | undefined {
  const { from, to, value, gasPrice } = message
  const { state, common: rules } = evm
  if (to === undefined || value === 0n || message.authorizationList !== undefined) return undefined
  if (evm.feed !== undefined || evm.peakGas !== undefined) return undefined
  if (!rules.gteHardfork('spuriousDragon') || evm.findPrecompile(to) !== undefined) return undefined
  const { header } = evm.block
  const coinbase = header.coinbase.bytes
  const sender = state.readAccount(from)
  const recipient = state.readAccount(to)
  const miner = state.readAccount(coinbase)
  if (sender instanceof Promise || recipient instanceof Promise || miner instanceof Promise) {
    return leave(sender, recipient, miner)
  }
  if (sender === undefined) return undefined
  if (recipient !== undefined && (hasCode(recipient) || recipient.balance + value > MAX_BALANCE)) {
    return undefined
  }
  const gasUsed = intrinsic > floor ? intrinsic : floor
  const tip = isFree ? 0n : gasUsed * (gasPrice - (header.baseFeePerGas ?? 0n))
  if (tip === 0n && miner !== undefined && isEmptyRecord(miner)) return undefined
  const blobFee = blobGas === 0n ? 0n : blobGas * (header.getBlobGasPrice() ?? 0n)
  void state.writeAccount(from, {
    nonce: sender.nonce + 1n,
    balance: sender.balance - gasUsed * gasPrice - blobFee - value,
    codeHash: sender.codeHash,
  })
  addBalance(state, to, value)
  if (tip > 0n) addBalance(state, coinbase, tip)
  return { gasUsed, maxGasUsed: gasUsed, executionGasUsed: 0n, returnData: NO_BYTES, logs: [] }
}

/**
 * Leaves what is on its way to the frame, which asks again for what it needs and says why that failed. A failure that
 * nobody hears of here would end the process.
 */
function leave(...reads: readonly unknown[]): undefined {
  for (const read of reads) if (read instanceof Promise) read.catch(() => undefined)
}

function hasCode({ codeHash }: AccountRecord): boolean {
  return !bytesEqual(codeHash, EMPTY_CODE_HASH)
}

/** Changes a balance by an amount of wei. The account was read before, so it is at hand. */
function addBalance(state: WorkingState, address: Uint8Array, wei: bigint): void {
  const record = state.readAccount(address)
  if (record instanceof Promise) throw new Error('an account that was read is not at hand any more')
  const { nonce, balance, codeHash } = record ?? EMPTY_RECORD
  void state.writeAccount(address, { nonce, balance: increased(balance, wei), codeHash })
}
