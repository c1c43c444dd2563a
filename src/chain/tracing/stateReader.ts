import type { StateManagerInterface } from '@ethereumjs/common'
import { Address } from '@ethereumjs/util'
import type { TracedState } from './tracer.js'

/** Reads what a state manager holds now. */
export function stateReader(state: StateManagerInterface): TracedState {
  return {
    readAccount: (address) => state.getAccount(new Address(address)),
    readCode: (address) => state.getCode(new Address(address)),
    readStorage: (address, slot) => state.getStorage(new Address(address), slot),
  }
}
