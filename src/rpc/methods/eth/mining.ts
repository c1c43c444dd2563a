import { bytesToHex } from '../../../encoding/hex.js'
import { defineMethod, required } from '../../method.js'
import { data } from '../../params/bytes.js'

/** eth_coinbase: who gets the fees of the next block. */
export const coinbase = defineMethod('eth_coinbase', [], ({ backend }) =>
  bytesToHex(backend.controls.coinbase()),
)

/** eth_mining: false, as the hosted provider answers it; in ganache whether a block is mined for each transaction. */
export const mining = defineMethod(
  'eth_mining',
  [],
  ({ backend }) =>
    backend.settings.compatibility.miningReportsAutomine && backend.controls.miningMode().automine,
)

/** eth_hashrate: zero, as the hosted provider answers it. */
export const hashrate = defineMethod('eth_hashrate', [], () => '0x0')

/** eth_submitWork: false: no proof of work is awaited. */
export const submitWork = defineMethod(
  'eth_submitWork',
  [required('nonce', data), required('powHash', data), required('mixDigest', data)],
  () => false,
)

/** eth_getWork: an empty list: there is no proof of work to be done. */
export const getWork = defineMethod('eth_getWork', [], () => [])
