import type { ExecutionLog } from '../../chain/types.js'
import { jsonBytes, jsonQuantity } from './members.js'
import type { BlockPlace } from './place.js'

/** Where a log is. */
export interface LogPlace {
  block: BlockPlace
  /** JSON text. */
  transactionHash: string
  transactionIndex: number
  /** Counts through the block. */
  logIndex: number
}

const validEnding = '"removed":false}'
const removedEnding = '"removed":true}'

/** A log object as JSON text, its members in geth's order (core/types/log.go). */
export function logText(log: ExecutionLog, at: LogPlace): string {
  return (
    `{"address":${jsonBytes(log.address)},"topics":[${log.topics.map(jsonBytes).join(',')}]` +
    `,"data":${jsonBytes(log.data)},"blockNumber":${at.block.number},"transactionHash":${at.transactionHash}` +
    `,"transactionIndex":${jsonQuantity(at.transactionIndex)},"blockHash":${at.block.hash}` +
    `,"blockTimestamp":${at.block.timestamp},"logIndex":${jsonQuantity(at.logIndex)},${validEnding}`
  )
}

/** The wire bytes of a log that a reorganisation removed, from those of the log as it was. */
export function removedLog(log: Uint8Array): Uint8Array {
  return Buffer.concat([log.subarray(0, log.length - validEnding.length), Buffer.from(removedEnding)])
}
