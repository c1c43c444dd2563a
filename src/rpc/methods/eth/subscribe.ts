import type { StoredBlock } from '../../../chain/block/record.js'
import { whenReady } from '../../../chain/state/whenReady.js'
import {
  InvalidParamsError,
  NotificationsUnsupportedError,
  ServerError,
  SubscriptionKindNotFoundError,
} from '../../errors.js'
import { jsonBytes, jsonQuantity } from '../../format/members.js'
import { transactionText } from '../../format/transaction.js'
import { type Method, defineMethod, optional, required } from '../../method.js'
import { boolean, filterId, text } from '../../params/scalars.js'
import { defineKind } from './subscribe/kind.js'
import { logs } from './subscribe/logs.js'
import { transactionReceipts } from './subscribe/transactionReceipts.js'

/**
 * What newHeads pushes, in geth's order (core/types/block.go, Header): every member is there, and null where the fork
 * lacks it.
 */
export function headPushText({ hash, header }: Pick<StoredBlock, 'hash' | 'header'>): string {
  const quantityOrNull = (value: bigint | undefined): string =>
    value === undefined ? 'null' : jsonQuantity(value)
  const bytesOrNull = (value: Uint8Array | undefined): string =>
    value === undefined ? 'null' : jsonBytes(value)
  return (
    `{"parentHash":${jsonBytes(header.parentHash)},"sha3Uncles":${jsonBytes(header.uncleHash)}` +
    `,"miner":${jsonBytes(header.coinbase)},"stateRoot":${jsonBytes(header.stateRoot)}` +
    `,"transactionsRoot":${jsonBytes(header.transactionsRoot)},"receiptsRoot":${jsonBytes(header.receiptsRoot)}` +
    `,"logsBloom":${jsonBytes(header.logsBloom)},"difficulty":${jsonQuantity(header.difficulty)}` +
    `,"number":${jsonQuantity(header.number)},"gasLimit":${jsonQuantity(header.gasLimit)}` +
    `,"gasUsed":${jsonQuantity(header.gasUsed)},"timestamp":${jsonQuantity(header.timestamp)}` +
    `,"extraData":${jsonBytes(header.extraData)},"mixHash":${jsonBytes(header.mixHash)}` +
    `,"nonce":${jsonBytes(header.nonce)},"baseFeePerGas":${quantityOrNull(header.baseFeePerGas)}` +
    `,"withdrawalsRoot":${bytesOrNull(header.withdrawalsRoot)}` +
    `,"blobGasUsed":${quantityOrNull(header.blobGasUsed)},"excessBlobGas":${quantityOrNull(header.excessBlobGas)}` +
    `,"parentBeaconBlockRoot":${bytesOrNull(header.parentBeaconBlockRoot)}` +
    `,"requestsHash":${bytesOrNull(header.requestsHash)},"blockAccessListHash":null,"slotNumber":null` +
    `,"hash":${jsonBytes(hash)}}`
  )
}

/** eth_unsubscribe: ends a subscription of this connection. */
export const unsubscribe = defineMethod('eth_unsubscribe', [required('id', filterId)], ({ context }, id) => {
  if (!context.subscriptions?.close(id)) throw new ServerError('subscription not found')
  return true
})

/** Pushes each transaction that became executable: its hash, or with `true` the whole object. */
export const newPendingTransactions = defineKind(
  'newPendingTransactions',
  [optional('fullTransactions', boolean)],
  ({ backend }, full = false) =>
    (push) =>
      backend.events.subscribe((event) => {
        if (event.type !== 'pending') return
        const { transaction } = event
        push([full ? transactionText(transaction, undefined) : jsonBytes(transaction.hash)])
      }),
)

/** Pushes the header of each new head; of several blocks that come at once, only of the last. */
export const newHeads = defineKind(
  'newHeads',
  [],
  ({ backend }) =>
    (push) =>
      backend.events.subscribe((event) => {
        if (event.type === 'head') push([headPushText(event.block)])
      }),
)

/** Pushes when synchronisation with other nodes begins or ends, which an own chain never does. */
export const syncing = defineKind('syncing', [], () => () => () => undefined)

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
