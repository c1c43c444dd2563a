import type { Method } from '../method.js'
import { listening } from './net/listening.js'
import { peerCount } from './net/peerCount.js'
import { version } from './net/version.js'

/** The methods whose names begin with `net_`. */
export const netMethods: readonly Method[] = [listening, peerCount, version]
