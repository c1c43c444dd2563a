import { expect, it, vi } from 'vitest'
import { wireArray } from '../wire.js'
import { type Filter, FilterStore, MAX_CRITERIA } from './filterStore.js'

const topic = new Uint8Array(32)

function logFilter(topics: number, end = vi.fn()): Filter {
  return {
    kind: 'Logs',
    poll: () => wireArray([]),
    save: () => () => undefined,
    watch: () => undefined,
    weight: () => 0,
    end,
    logs: { addresses: [], topics: [Array.from({ length: topics }, () => topic)] },
  }
}

it('drops the filters polled longest ago once all have too many topics', () => {
  const store = new FilterStore()
  const half = MAX_CRITERIA / 2
  const end = vi.fn()
  const first = store.add(logFilter(half))
  const second = store.add(logFilter(half, end))
  void store.poll(first)
  const third = store.add(logFilter(1))
  expect([first, second, third].map((id) => store.has(id))).toEqual([true, false, true])
  expect(end).toHaveBeenCalledOnce()
})

it('has room again once filters are removed', () => {
  const store = new FilterStore()
  const first = store.add(logFilter(MAX_CRITERIA))
  store.remove(first)
  const ids = [store.add(logFilter(MAX_CRITERIA - 1)), store.add(logFilter(1))]
  expect(ids.map((id) => store.has(id))).toEqual([true, true])
})
