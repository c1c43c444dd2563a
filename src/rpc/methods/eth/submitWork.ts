import { data } from '../../params/data.js'
import { defineMethod, required } from '../../method.js'

/** eth_submitWork: false: no proof of work is awaited. */
export const submitWork = defineMethod(
  'eth_submitWork',
  [required('nonce', data), required('powHash', data), required('mixDigest', data)],
  () => false,
)
