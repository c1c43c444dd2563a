import { RpcPipeline, type PipelineSetup } from '../../../src/rpc/pipeline.js'
import type { RequestContext } from '../../../src/rpc/callPolicy.js'
import { registry } from '../../../src/rpc/registry.js'
import { FilterStore } from '../../../src/rpc/subscriptions/filterStore.js'
import { testBlock } from './blocks.js'
import { FakeChain, fakeBackend } from './fakeBackend.js'

/** Creates a pipeline over a chain of two empty blocks. */
export function testPipeline(replaced: Partial<PipelineSetup> = {}): RpcPipeline {
  return new RpcPipeline({
    methods: registry,
    backend: fakeBackend(new FakeChain([testBlock(0n), testBlock(1n)])),
    filters: new FilterStore(),
    report: () => undefined,
    batch: { maxItems: 1000 },
    ...replaced,
  })
}

/** Returns the text of the answer to a body; empty if there is none. */
export async function answerText(
  pipeline: RpcPipeline,
  body: string | Uint8Array,
  context: RequestContext = { transport: 'http' },
): Promise<string> {
  const reply = await pipeline.answerBody(body, context)
  return reply === undefined ? '' : Buffer.concat(reply.pieces).toString()
}

/** Returns the error or the result of one call. */
export async function outcomeOf(
  pipeline: RpcPipeline,
  method: string,
  params: unknown,
): Promise<{ result?: unknown; error?: { code: number; message: string; data?: unknown } }> {
  const text = await answerText(pipeline, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  const { result, error } = JSON.parse(text)
  return error === undefined ? { result } : { error }
}
