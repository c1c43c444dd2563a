import { bench, describe } from 'vitest'
import type { Backend } from '../../rpc/backend.js'
import { compatibilityProfile } from '../../rpc/compatibility.js'
import { RpcPipeline } from '../../rpc/pipeline.js'
import type { CallPolicy } from '../../rpc/callPolicy.js'
import { FilterStore } from '../../rpc/subscriptions/filterStore.js'
import { createCaller } from '../admission/admission.js'
import { Provider } from '../provider.js'
import { ProviderCallPolicy } from './callPolicy.js'

const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}')

function createPipeline(policy?: CallPolicy): RpcPipeline {
  const method = { name: 'eth_blockNumber', parameters: [], invoke: () => '0x1' }
  return new RpcPipeline({
    methods: new Map([[method.name, method]]),
    backend: { settings: { compatibility: compatibilityProfile(undefined) } } as Backend,
    filters: new FilterStore(),
    report: () => undefined,
    batch: { maxItems: 1 },
    policy,
  })
}

// Without plan and faults, the call policy may cost at most 3 µs of CPU per request: the difference of the two.
describe('a call', () => {
  const bare = createPipeline()
  const gated = createPipeline(new ProviderCallPolicy(new Provider({ mode: 'open' }), 'local'))
  bench(
    'without provider',
    () => void bare.answerBody(body, { transport: 'http', caller: createCaller('local') }),
  )
  bench(
    'through the call policy',
    () => void gated.answerBody(body, { transport: 'http', caller: createCaller('local') }),
  )
})
