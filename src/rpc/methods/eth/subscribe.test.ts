import { expect, test } from 'vitest'
import { testHeader } from '../../../../test/support/callSite.js'
import { until } from '../../../../test/support/until.js'
import type { StoredBlock } from '../../../chain/block/record.js'
import { ChainEvents } from '../../../chain/reader.js'
import type { ChainView } from '../../../chain/view.js'
import { compatibilityProfile } from '../../compatibility.js'
import type { Backend, RpcSettings } from '../../backend.js'
import type { Call } from '../../method.js'
import { logs } from './subscribe.js'

const block: StoredBlock = {
  ordinal: 0,
  hash: new Uint8Array(32),
  header: { ...testHeader, logsBloom: new Uint8Array(256).fill(1) },
  totalDifficulty: 0n,
  size: 0,
  altered: false,
  transactions: [],
  uncleHashes: [],
}

test('a failure to read logs is reported, and the logs of the next block are pushed', async () => {
  const failure = new Error('the disk does not answer')
  const faults: unknown[][] = []
  const events = new ChainEvents((fault) => faults.push(['events', fault]))
  const reads = [() => Promise.reject(failure), () => Promise.resolve([Uint8Array.of(1)])]
  const chain: Partial<ChainView> = { logs: () => reads.shift()?.() ?? Promise.resolve([]) }
  const settings: Partial<RpcSettings> = { compatibility: compatibilityProfile(undefined) }
  const backend: Partial<Backend> = {
    events,
    chain: chain as ChainView,
    settings: settings as RpcSettings,
  }
  const call: Partial<Call> = {
    backend: backend as Backend,
    report: (...fault) => void faults.push(fault),
  }
  const pushed: unknown[] = []
  const feed = await logs.feed(call as Call, ['logs', {}])
  feed(
    (payload) => pushed.push(payload),
    () => true,
  )
  for (let i = 0; i < 2; i++) events.emit({ type: 'head', block })
  await until(() => pushed.length > 0)
  expect(faults).toEqual([['eth_subscribe', failure]])
  expect(pushed).toEqual([[Uint8Array.of(1)]])
})
