import type { Method } from '../method.js'
import { clientVersion } from './web3/clientVersion.js'
import { sha3 } from './web3/sha3.js'

/** The methods whose names begin with `web3_`. */
export const web3Methods: readonly Method[] = [clientVersion, sha3]
