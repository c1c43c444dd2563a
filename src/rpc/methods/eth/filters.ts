import { RpcError } from '../../errors.js'
import { checkNewLogRange, findLogTexts, findLogs } from '../../logQuery.js'
import { type Call, defineMethod, optional, required } from '../../method.js'
import { filter } from '../../params/filter.js'
import { boolean, filterId } from '../../params/bytes.js'
import { createBlockFilter, createLogFilter, createPendingFilter } from '../../subscriptions/filters.js'

/** Whether a filter is missing without that being an error: hardhat answers null (EDR: edr_provider, filter.rs). */
function isFilterMissing({ filters, backend }: Call, id: string): boolean {
  return backend.settings.compatibility.nullForUnknownFilter && !filters.has(id)
}

/** eth_getFilterChanges: returns what a filter has found since the last poll. */
export const getFilterChanges = defineMethod(
  'eth_getFilterChanges',
  [required('id', filterId)],
  (call, id) => (isFilterMissing(call, id) ? null : call.filters.poll(id, call.context)),
)

/**
 * eth_getFilterLogs: runs the query of a log filter; in hardhat it returns what the filter has found since the last
 * poll.
 */
export const getFilterLogs = defineMethod('eth_getFilterLogs', [required('id', filterId)], (call, id) => {
  if (isFilterMissing(call, id)) return null
  const { filters, backend } = call
  if (!backend.settings.compatibility.filterLogsArePolled) return findLogs(call, filters.logs(id))
  const kind = filters.kind(id)
  if (kind === 'Logs') return filters.poll(id, call.context)
  const message = `Subscription ${BigInt(id)} is not a Logs subscription, but a ${kind} subscription`
  throw new RpcError(-32602, message)
})

/** eth_uninstallFilter: removes a filter. */
export const uninstallFilter = defineMethod(
  'eth_uninstallFilter',
  [required('id', filterId)],
  ({ filters }, id) => filters.remove(id),
)

/** eth_newPendingTransactionFilter: creates a filter for transactions that become executable. */
export const newPendingTransactionFilter = defineMethod(
  'eth_newPendingTransactionFilter',
  [optional('fullTransactions', boolean)],
  ({ backend, filters }, full = false) => filters.add(createPendingFilter(backend, { full })),
)

/** eth_newBlockFilter: creates a filter for new heads; in hardhat it starts with the current head. */
export const newBlockFilter = defineMethod('eth_newBlockFilter', [], ({ view, backend, filters }) => {
  const { blockFiltersBeginWithHead } = backend.settings.compatibility
  return filters.add(createBlockFilter(backend, blockFiltersBeginWithHead ? view.head() : undefined))
})

/** eth_newFilter: creates a log filter. */
export const newFilter = defineMethod('eth_newFilter', [required('filter', filter)], (call, criteria) => {
  checkNewLogRange(call, criteria)
  const { filtersBeginWithPastLogs: wanted } = call.backend.settings.compatibility
  if (wanted === 'none' || (wanted === 'with a start block' && criteria.fromBlock === undefined)) {
    return call.filters.add(createLogFilter(call.backend, criteria))
  }
  // The search ends at the current head and the filter listens from there, so no log is lost or repeated.
  const repeat = () => findLogTexts(call, criteria)
  const now = repeat()
  const logs = createLogFilter(call.backend, criteria, { now, repeat })
  return now.then(
    () => call.filters.add(logs),
    (error: unknown) => {
      logs.end()
      throw error
    },
  )
})
