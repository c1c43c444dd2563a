import { Dispatcher, type DispatcherOptions } from '../../../src/rpc/dispatcher.js'
import type { RequestContext } from '../../../src/rpc/callPolicy.js'
import { registry } from '../../../src/rpc/registry.js'
import { FilterStore } from '../../../src/rpc/subscriptions/filterStore.js'
import { testBlock } from './blocks.js'
import { FakeChain, fakeBackend } from './fakeBackend.js'

/** A dispatcher over a chain of two empty blocks. */
export function testDispatcher(replaced: Partial<DispatcherOptions> = {}): Dispatcher {
  return new Dispatcher({
    methods: registry,
    backend: fakeBackend(new FakeChain([testBlock(0n), testBlock(1n)])),
    filters: new FilterStore(),
    report: () => undefined,
    batch: { maxItems: 1000 },
    ...replaced,
  })
}

/** The text that answers a body; empty where nothing is answered. */
export async function answerText(
  dispatcher: Dispatcher,
  body: string | Uint8Array,
  context: RequestContext = { transport: 'http' },
): Promise<string> {
  const reply = await dispatcher.handle(body, context)
  return reply === undefined ? '' : Buffer.concat(reply.pieces).toString()
}

/** The error or the result of one call. */
export async function outcomeOf(
  dispatcher: Dispatcher,
  method: string,
  params: unknown,
): Promise<{ result?: unknown; error?: { code: number; message: string; data?: unknown } }> {
  const text = await answerText(dispatcher, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  const { result, error } = JSON.parse(text)
  return error === undefined ? { result } : { error }
}
