import { filterId } from '../../params/text.js'
import { defineMethod, required } from '../../method.js'

/** eth_getFilterChanges: what a filter found since it was last asked. */
export const getFilterChanges = defineMethod(
  'eth_getFilterChanges',
  [required('id', filterId)],
  ({ filters }, id) => filters.poll(id),
)
