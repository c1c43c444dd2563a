import { createBlockFilter } from '../../subscriptions/filters.js'
import { defineMethod } from '../../method.js'

/** eth_newBlockFilter: makes a filter of new heads. */
export const newBlockFilter = defineMethod('eth_newBlockFilter', [], ({ backend, filters }) =>
  filters.add(createBlockFilter(backend)),
)
