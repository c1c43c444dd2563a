import { filterId } from '../../params/text.js'
import { defineMethod, required } from '../../method.js'

/** eth_uninstallFilter: removes a filter. */
export const uninstallFilter = defineMethod(
  'eth_uninstallFilter',
  [required('id', filterId)],
  ({ filters }, id) => filters.remove(id),
)
