import { whenReady } from '../../../chain/state/whenReady.js'
import {
  InvalidParamsError,
  NotificationsUnsupportedError,
  SubscriptionKindNotFoundError,
} from '../../errors.js'
import { required, type Method } from '../../method.js'
import { text } from '../../params/text.js'
import { logs } from './subscribe/logs.js'
import { newHeads } from './subscribe/newHeads.js'
import { newPendingTransactions } from './subscribe/newPendingTransactions.js'
import { syncing } from './subscribe/syncing.js'
import { transactionReceipts } from './subscribe/transactionReceipts.js'

const kinds = new Map(
  [newHeads, logs, newPendingTransactions, syncing, transactionReceipts].map((kind) => [kind.name, kind]),
)

/**
 * eth_subscribe: pushes events of a kind from now on and answers the subscription's id. What may follow the kind
 * depends on it.
 */
export const subscribe: Method = {
  name: 'eth_subscribe',
  parameters: [required('kind', text('string', 'kind of subscription'))],
  invoke(call, params) {
    const { subscriptions } = call.context
    if (subscriptions === undefined) throw new NotificationsUnsupportedError()
    if (!Array.isArray(params)) throw new InvalidParamsError('non-array args')
    const [name]: unknown[] = params
    if (typeof name !== 'string') {
      throw new InvalidParamsError('expected subscription name as first argument')
    }
    const kind = kinds.get(name)
    if (kind === undefined) throw new SubscriptionKindNotFoundError('eth', name)
    return whenReady(kind.feed(call, params), (feed) => subscriptions.open(feed))
  },
}
