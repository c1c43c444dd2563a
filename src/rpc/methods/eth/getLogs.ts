import { findLogs } from '../../logQuery.js'
import { filter } from '../../params/filter.js'
import { defineMethod, required } from '../../method.js'

/** eth_getLogs: returns the logs that match a filter. */
export const getLogs = defineMethod('eth_getLogs', [required('filter', filter)], findLogs)
