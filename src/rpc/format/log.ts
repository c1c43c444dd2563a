import type { ExecutionLog } from '../../chain/types.js'
import { type BlockReference, jsonBytes, jsonQuantity } from './pieces.js'

/** Position of a log. */
export interface LogLocation {
  block: BlockReference
  /** JSON text. */
  transactionHash: string
  transactionIndex: number
  /** Index within the block. */
  logIndex: number
}

const validEnding = '"removed":false}'
const removedEnding = '"removed":true}'

/** Returns a log object as JSON text, its members in geth's order (core/types/log.go). */
export function logText(log: ExecutionLog, at: LogLocation): string {
  return (
    `{"address":${jsonBytes(log.address)},"topics":[${log.topics.map(jsonBytes).join(',')}]` +
    `,"data":${jsonBytes(log.data)},"blockNumber":${at.block.number},"transactionHash":${at.transactionHash}` +
    `,"transactionIndex":${jsonQuantity(at.transactionIndex)},"blockHash":${at.block.hash}` +
    `,"blockTimestamp":${at.block.timestamp},"logIndex":${jsonQuantity(at.logIndex)},${validEnding}`
  )
}

/** Offset of the first topic in a log's wire form: everything before it has a fixed length. */
const firstTopic = '{"address":"0x'.length + 40 + '","topics":['.length
/** Length of a topic with the comma or bracket after it. */
const topicLength = '"0x",'.length + 64
const CLOSING_BRACKET = 0x5d

/** Counts the topics of a log in wire form. */
export function topicCount(log: Uint8Array): number {
  if (log[firstTopic] === CLOSING_BRACKET) return 0
  let count = 1
  while (log[firstTopic + count * topicLength - 1] !== CLOSING_BRACKET) count += 1
  return count
}

/** Returns the wire form of a log removed by a reorganisation. */
export function removedLog(log: Uint8Array): Uint8Array {
  return Buffer.concat([log.subarray(0, log.length - validEnding.length), Buffer.from(removedEnding)])
}
