import type { Method } from '../method.js'
import { content } from './txpool/content.js'
import { contentFrom } from './txpool/contentFrom.js'
import { inspect } from './txpool/inspect.js'
import { status } from './txpool/status.js'

/** The methods whose names begin with `txpool_`. */
export const txpoolMethods: readonly Method[] = [content, contentFrom, inspect, status]
