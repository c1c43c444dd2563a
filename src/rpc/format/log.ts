import type { ExecutionLog } from '../../chain/types.js'
import { type BlockPlace, jsonBytes, jsonQuantity } from './pieces.js'

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

/** Where the first topic begins in a log's wire bytes: what stands before it has the same length in every log. */
const firstTopic = '{"address":"0x'.length + 40 + '","topics":['.length
/** A topic and the comma or bracket behind it. */
const topicLength = '"0x",'.length + 64
const closingBracket = 0x5d

/** How many topics a log in wire form has. */
export function topicCount(log: Uint8Array): number {
  if (log[firstTopic] === closingBracket) return 0
  let count = 1
  while (log[firstTopic + count * topicLength - 1] !== closingBracket) count += 1
  return count
}

/** The wire bytes of a log that a reorganisation removed, from those of the log as it was. */
export function removedLog(log: Uint8Array): Uint8Array {
  return Buffer.concat([log.subarray(0, log.length - validEnding.length), Buffer.from(removedEnding)])
}
