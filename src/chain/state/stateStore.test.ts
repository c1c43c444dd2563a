import { Account, Address } from '@ethereumjs/util'
import { expect, it } from 'vitest'
import { MemoryDatabase } from '../../../test/support/memoryDatabase.js'
import { bigintToBytes } from '../../encoding/quantity.js'
import { keyspaceOf } from '../../storage/keyspace.js'
import { WriteBatch } from '../../storage/writeBatch.js'
import { createStateCaches } from './stateCaches.js'
import { StateStore, type StateCommitment } from './stateStore.js'
import { EMPTY_ROOT } from './trieNode.js'
import { WorkingState } from './workingState.js'

const keyspace = keyspaceOf(0)

it('keeps nodes that stay in memory of their own, and those that were replaced apart from them', async () => {
  const database = new MemoryDatabase()
  const caches = createStateCaches()
  const store = new StateStore({ database, keyspace, caches })
  const commit = async (root: Uint8Array, balances: readonly bigint[]): Promise<StateCommitment> => {
    const state = new WorkingState({ base: store.viewAt(root), store })
    for (const [index, balance] of balances.entries()) {
      await state.putAccount(new Address(bigintToBytes(BigInt(index + 1), 20)), new Account(0n, balance))
    }
    const commitment = state.computeRoot()
    const batch = new WriteBatch()
    store.stage(batch, commitment)
    database.write(batch)
    return commitment
  }
  const first = await commit(
    EMPTY_ROOT,
    Array.from({ length: 40 }, () => 1n),
  )
  const { replaced } = await commit(first.root, [2n])
  const numbers = first.nodes.map(({ number = -1 }) => number)
  const staying = first.nodes.filter(({ number = -1 }) => !replaced.includes(number))
  expect(replaced.length).toBeGreaterThan(1)
  expect(replaced.every((number) => numbers.includes(number))).toBe(true)
  expect(staying.length).toBe(first.nodes.length - replaced.length)
  for (const node of staying) {
    expect(caches.nodes.get(node.number ?? -1)).toBe(node)
    expect(node.bytes.buffer.byteLength).toBe(node.length)
  }
  for (const number of replaced) {
    expect(caches.nodes.get(number)).toBeUndefined()
    expect(caches.replacedNodes.get(number)?.number).toBe(number)
  }
  const other = new StateStore({ database, keyspace })
  for (const node of first.nodes) expect(other.getNode(node.number ?? -1).bytes).toEqual(node.bytes)
})
