import type { SealedBlock } from '../../chain/block/record.js'
import { jsonBytes, jsonQuantity } from './members.js'

/** Where in a block something is, as JSON texts that are made once for all its transactions and logs. */
export interface BlockPlace {
  hash: string
  number: string
  timestamp: string
  /** Wei per gas; undefined before London. */
  baseFee: bigint | undefined
}

/** The place of what a block holds. */
export function placeInBlock({ hash, header }: Pick<SealedBlock, 'hash' | 'header'>): BlockPlace {
  return {
    hash: jsonBytes(hash),
    number: jsonQuantity(header.number),
    timestamp: jsonQuantity(header.timestamp),
    baseFee: header.baseFeePerGas,
  }
}
