import { checkNewLogRange, findLogTexts } from '../../logQuery.js'
import { filter } from '../../params/filter.js'
import { createLogFilter } from '../../subscriptions/filters.js'
import { defineMethod, required } from '../../method.js'

/** eth_newFilter: makes a filter of logs. */
export const newFilter = defineMethod('eth_newFilter', [required('filter', filter)], (call, criteria) => {
  checkNewLogRange(call, criteria)
  const { filtersReturnPastLogs } = call.backend.settings.compatibility
  if (!filtersReturnPastLogs || criteria.fromBlock === undefined) {
    return call.filters.add(createLogFilter(call.backend, criteria))
  }
  // A search ends at the head of its time, and the filter listens from then on: nothing is lost or comes twice.
  const again = () => findLogTexts(call, criteria)
  const now = again()
  const logs = createLogFilter(call.backend, criteria, { now, again })
  return now.then(
    () => call.filters.add(logs),
    (error: unknown) => {
      logs.end()
      throw error
    },
  )
})
