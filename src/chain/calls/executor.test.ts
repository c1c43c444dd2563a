import { Account, Address } from '@ethereumjs/util'
import { expect, it } from 'vitest'
import { MemoryDatabase } from '../../../test/support/memoryDatabase.js'
import { keyspaceOf } from '../../storage/keyspace.js'
import { ChainError } from '../errors.js'
import { StateStore } from '../state/stateStore.js'
import { EMPTY_TRIE_ROOT } from '../state/nodeRecord.js'
import type { WorkingState } from '../state/workingState.js'
import { withCallState } from './executor.js'

const address = new Address(new Uint8Array(20).fill(0xaa))

function emptyView() {
  return new StateStore({ database: new MemoryDatabase(), keyspace: keyspaceOf(0) }).viewAt(EMPTY_TRIE_ROOT)
}

/** Runs a call that opens nested frames, changes an account in each, and fails in the innermost one. */
function failWithin(view: ReturnType<typeof emptyView>, frames: number): WorkingState | undefined {
  let lent: WorkingState | undefined
  const fail = () =>
    withCallState(view, (state) => {
      lent = state
      for (let frame = 0; frame < frames; frame++) {
        void state.checkpoint()
        void state.putAccount(address, new Account(BigInt(frame), 1n))
      }
      throw new ChainError('no more')
    })
  expect(fail).toThrow('no more')
  return lent
}

it.each([0, 1, 3])('a call that fails within %i frames leaves nothing behind', async (frames) => {
  const view = emptyView()
  failWithin(view, frames)
  await withCallState(view, async (state) => {
    expect(state.openCheckpoints).toBe(1)
    expect(await state.getAccount(address)).toBeUndefined()
  })
})

it('a state is reused after a failure between frames, but not after one within', () => {
  const view = emptyView()
  const first = failWithin(view, 0)
  expect(failWithin(view, 2)).toBe(first)
  expect(failWithin(view, 0)).not.toBe(first)
})
