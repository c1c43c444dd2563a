import { bytesToHex } from '../../../encoding/hex.js'
import { defineMethod, required } from '../../method.js'
import { data } from '../../params/bytes.js'

/** eth_coinbase: returns the fee recipient of the next block. */
export const coinbase = defineMethod('eth_coinbase', [], ({ backend }) =>
  bytesToHex(backend.controls.coinbase()),
)

/** eth_mining: returns false like the hosted provider; in ganache, the automine setting. */
export const mining = defineMethod(
  'eth_mining',
  [],
  ({ backend }) =>
    backend.settings.compatibility.miningReportsAutomine && backend.controls.miningMode().automine,
)

/** eth_hashrate: returns zero, like the hosted provider. */
export const hashrate = defineMethod('eth_hashrate', [], () => '0x0')

/** eth_submitWork: returns false, as there is no proof of work. */
export const submitWork = defineMethod(
  'eth_submitWork',
  [required('nonce', data), required('powHash', data), required('mixDigest', data)],
  () => false,
)

/** eth_getWork: returns an empty list, as there is no proof of work. */
export const getWork = defineMethod('eth_getWork', [], () => [])
