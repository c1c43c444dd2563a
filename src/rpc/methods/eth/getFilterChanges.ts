import { isFilterMissing } from '../filterMissing.js'
import { filterId } from '../../params/text.js'
import { defineMethod, required } from '../../method.js'

/** eth_getFilterChanges: what a filter found since it was last asked. */
export const getFilterChanges = defineMethod(
  'eth_getFilterChanges',
  [required('id', filterId)],
  (call, id) => (isFilterMissing(call, id) ? null : call.filters.poll(id)),
)
