import { ServerError } from '../../errors.js'
import { filterId } from '../../params/text.js'
import { defineMethod, required } from '../../method.js'

/** eth_unsubscribe: ends a subscription of this connection. */
export const unsubscribe = defineMethod('eth_unsubscribe', [required('id', filterId)], ({ context }, id) => {
  if (!context.subscriptions?.close(id)) throw new ServerError('subscription not found')
  return true
})
