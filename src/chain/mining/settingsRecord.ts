import { bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import type { BlockSettings } from './draft.js'

/** Block settings as JSON: numbers are decimal strings, bytes hexadecimal ones without a prefix. */
export interface SettingsRecord {
  gasLimit: string
  coinbase: string
  extraData: string
  nextBaseFee?: string
  nextPrevRandao?: string
}

export function toSettingsRecord(settings: BlockSettings): SettingsRecord {
  const { gasLimit, coinbase, extraData, nextBaseFee, nextPrevRandao } = settings
  return {
    gasLimit: gasLimit.toString(),
    coinbase: bytesToPlainHex(coinbase),
    extraData: bytesToPlainHex(extraData),
    nextBaseFee: nextBaseFee?.toString(),
    nextPrevRandao: nextPrevRandao && bytesToPlainHex(nextPrevRandao),
  }
}

export function fromSettingsRecord(record: SettingsRecord): BlockSettings {
  const { nextBaseFee, nextPrevRandao } = record
  return {
    gasLimit: BigInt(record.gasLimit),
    coinbase: hexToBytes(record.coinbase),
    extraData: hexToBytes(record.extraData),
    ...(nextBaseFee !== undefined && { nextBaseFee: BigInt(nextBaseFee) }),
    ...(nextPrevRandao !== undefined && { nextPrevRandao: hexToBytes(nextPrevRandao) }),
  }
}
