import { bigintToBytes, bytesToHex } from '../../encoding/hex.js'
import { RpcError, ServerError } from '../errors.js'
import { type Method, defineMethod, optional, required } from '../method.js'
import { address, anything, hash } from '../params/bytes.js'
import type { Decoder } from '../params/combinators.js'
import { controlNumber, controlUint64 } from '../params/numbers.js'
import { resetAnew } from './anvil/reset.js'

/** A storage slot; more than 256 bits are refused with hardhat's message. */
const storageKey: Decoder<bigint> = {
  ...controlNumber,
  decode(value) {
    if (isHex(value) && value.length > 66) {
      throw new ServerError(`Storage key must not be greater than or equal to 2^256. Received ${value}.`)
    }
    return controlNumber.decode(value)
  },
}

/** A storage value; any length other than 32 bytes is refused with hardhat's message. */
const storageValue: Decoder<Uint8Array> = {
  ...hash,
  decode(value) {
    if (isHex(value) && value.length !== 66) {
      const received = `Received ${value}, which is ${(value.length - 2) >> 1} bytes long.`
      throw new ServerError(`Storage value must be exactly 32 bytes long. ${received}`)
    }
    return hash.decode(value)
  },
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('0x')
}

/** Hardhat's own methods, and those that answer differently under its names. */
export const hardhatMethods: readonly Method[] = [
  /** hardhat_addCompilationResult: accepts a compilation and ignores it. */
  defineMethod(
    'hardhat_addCompilationResult',
    [optional('solcVersion', anything), optional('input', anything), optional('output', anything)],
    () => true,
  ),
  /**
   * hardhat_dropTransaction: removes a transaction from the mempool and returns whether it was there; a mined one is
   * refused.
   */
  defineMethod(
    'hardhat_dropTransaction',
    [required('transaction', hash)],
    async ({ view, backend }, transaction) => {
      if (view.transactionLocation(transaction) !== undefined) {
        const message = `Transaction ${bytesToHex(transaction)} cannot be dropped because it's already mined`
        throw new RpcError(-32602, message)
      }
      return backend.controls.dropTransaction(transaction)
    },
  ),
  /** hardhat_getStackTraceFailuresCount: returns zero, as there are no stack traces. */
  defineMethod('hardhat_getStackTraceFailuresCount', [], () => 0),
  /** hardhat_mine: mines blocks with an interval in seconds between them; the first one uses the clock. */
  defineMethod(
    'hardhat_mine',
    [optional('blocks', controlUint64), optional('interval', controlUint64)],
    async ({ backend, context }, blocks = 1n, interval = 0n) => {
      const reservesBlocks = backend.settings.compatibility.requestChecks === 'hardhat'
      await backend.controls.mine({
        blocks: Number(blocks),
        interval,
        reservesBlocks,
        signal: context.signal,
      })
      return null
    },
  ),
  resetAnew,
  /** hardhat_setBlockTimestampInterval: fixes the time between a block and its parent, in milliseconds. */
  defineMethod(
    'hardhat_setBlockTimestampInterval',
    [required('milliseconds', controlNumber)],
    async ({ backend }, milliseconds) => {
      await backend.controls.setBlockTimestampInterval(milliseconds / 1000n)
      return null
    },
  ),
  /** hardhat_setStorageAt: sets an account's slot to 32 bytes and returns true. */
  defineMethod(
    'hardhat_setStorageAt',
    [required('address', address), required('slot', storageKey), required('value', storageValue)],
    async ({ backend }, address, slot, value) => {
      await backend.controls.setStorage(address, bigintToBytes(slot, 32), value)
      return true
    },
  ),
  /**
   * hardhat_stopImpersonatingAccount: stops accepting unsigned transactions from an account, and returns whether it was
   * impersonated.
   */
  defineMethod(
    'hardhat_stopImpersonatingAccount',
    [required('address', address)],
    async ({ backend }, address) => backend.controls.stopImpersonating(address),
  ),
]
