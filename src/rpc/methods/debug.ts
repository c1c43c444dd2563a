import type { Method } from '../method.js'
import { getRawBlock } from './debug/getRawBlock.js'
import { getRawHeader } from './debug/getRawHeader.js'
import { getRawReceipts } from './debug/getRawReceipts.js'
import { getRawTransaction } from './debug/getRawTransaction.js'

/** The methods whose names begin with `debug_`. */
export const debugMethods: readonly Method[] = [getRawBlock, getRawHeader, getRawReceipts, getRawTransaction]
