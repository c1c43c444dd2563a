import type { Call } from '../method.js'

/** Whether a filter is not there and that is no error: hardhat answers null (EDR: edr_provider, filter.rs). */
export function isFilterMissing({ filters, backend }: Call, id: string): boolean {
  return backend.settings.compatibility.nullForUnknownFilter && !filters.has(id)
}
