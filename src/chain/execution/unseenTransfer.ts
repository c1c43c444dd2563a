import type { StateView } from '../types.js'
import type { CallObject } from './callObject.js'

/**
 * Whether a message only moves ether to an account without code: anvil estimates such a one without running it
 * (foundry: anvil/src/eth/api.rs, do_estimate_gas).
 */
export async function runsNoCode(
  { to, data = new Uint8Array(0), accessList, authorizationList, blobVersionedHashes }: CallObject,
  state: Pick<StateView, 'getCode'>,
): Promise<boolean> {
  if (to === undefined || data.length > 0) return false
  if ([accessList, authorizationList, blobVersionedHashes].some((list) => list !== undefined)) return false
  return (await state.getCode(to)).length === 0
}
