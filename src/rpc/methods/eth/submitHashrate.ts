import { hash } from '../../params/hash.js'
import { big } from '../../params/uint256.js'
import { defineMethod, required } from '../../method.js'

/** eth_submitHashrate: false: nobody mines by proof of work here. */
export const submitHashrate = defineMethod(
  'eth_submitHashrate',
  [required('hashrate', big), required('id', hash)],
  () => false,
)
