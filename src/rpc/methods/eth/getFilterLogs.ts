import { findLogs } from '../../logQuery.js'
import { filterId } from '../../params/text.js'
import { defineMethod, required } from '../../method.js'
import { isFilterMissing } from '../filterMissing.js'

/** eth_getFilterLogs: runs the query of a filter of logs now. */
export const getFilterLogs = defineMethod('eth_getFilterLogs', [required('id', filterId)], (call, id) =>
  isFilterMissing(call, id) ? null : findLogs(call, call.filters.logs(id)),
)
