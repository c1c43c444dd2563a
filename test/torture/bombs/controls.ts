import type { TorturedNode } from '../node.js'
import { callRaw } from '../requests.js'
import { TARGET, many, oncePerNode, refusalOf, sendCall, type Bomb } from './bomb.js'

/** A bomb that is one request to the controls. */
function control(name: string, path: string, init: () => RequestInit = () => ({})): Bomb {
  return {
    name: `/_standin${path}: ${name}`,
    async run(node, signal) {
      const response = await fetch(new URL(`/_standin${path}`, node.ready.url), { ...init(), signal })
      return refusalOf({ status: response.status, text: await response.text() })
    },
  }
}

const json = (value: unknown, method = 'POST'): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

/** Sends a request about each of forty keys. */
async function sendKeys(node: TorturedNode, init: () => RequestInit): Promise<void> {
  for (let index = 0; index < 40; index++) {
    await fetch(new URL(`/_standin/keys/large${index}`, node.ready.url), init())
  }
}

/** Sets a fault that has names, or a text, of two megabytes, and removes all faults afterwards. */
function besideFaults(
  name: string,
  fault: (index: number) => object,
  { count, run }: { count: number; run: Bomb['run'] },
): Bomb {
  return {
    name,
    async prepare(node) {
      for (let index = 0; index < count; index++) {
        await fetch(new URL('/_standin/faults', node.ready.url), json({ id: `${index}`, ...fault(index) }))
      }
    },
    run: (node, signal) =>
      run(node, signal).finally(() =>
        fetch(new URL('/_standin/faults', node.ready.url), { method: 'DELETE' }),
      ),
  }
}

/** Bombs of the controls. */
export const controls: readonly Bomb[] = [
  control('all requests', '/requests'),
  control('all requests', '/requests?limit=1000000'),
  control('the timeline', '/requests/timeline'),
  control('the node', '/node'),
  control('usage', '/usage'),
  control('metrics', '/metrics'),
  control('garbage', '/files/garbage'),
  control('contracts', '/contracts'),
  control('the document', '/openapi.json'),
  control('a thousand faults', '/faults', () =>
    json({
      faults: many(1000, (i) => ({
        id: `f${i}`,
        match: { method: `m${i}` },
        action: { type: 'delay', milliseconds: 1 },
      })),
    }),
  ),
  control('all faults', '/faults'),
  control('no faults', '/faults', () => ({ method: 'DELETE' })),
  control('code of a megabyte', '/contracts/identify', () => json({ code: `0x${'60'.repeat(9e5)}` })),
  control('ten megabytes', '/rpc', () =>
    json({ jsonrpc: '2.0', id: 1, method: 'web3_sha3', params: [`0x${'ab'.repeat(5e6)}`] }),
  ),
  ...(
    [
      ['POST', '/faults'],
      ['POST', '/scenarios/name'],
      ['POST', '/contracts/identify'],
      ['PUT', '/outages/mainnet'],
      ['PUT', '/keys/name'],
      ['PUT', '/cassette'],
    ] as const
  ).flatMap(([method, path]) => [
    control('two megabytes of one text', path, () => json({ id: 'x'.repeat(2e6) }, method)),
    control('two megabytes of small objects', path, () =>
      json(
        many(2e5, () => ({ a: 1 })),
        method,
      ),
    ),
    control('two megabytes of brackets', path, () => ({ ...json([], method), body: '['.repeat(2e6) })),
  ]),
  ...['/requests?limit=1000', '/requests?limit=1000&format=ndjson'].map((path) => ({
    ...control('calls with fifteen kilobytes of data each', path),
    prepare: oncePerNode(async (node) => {
      const data = `0x${'01'.repeat(7500)}`
      for (let batch = 0; batch < 10; batch++) {
        const calls = many(100, (id) => ({
          jsonrpc: '2.0',
          id,
          method: 'eth_call',
          params: [{ to: TARGET, data }],
        }))
        await callRaw(node, JSON.stringify(calls))
      }
    }),
  })),
  {
    ...control('a method of underscores', '/keys/name', () =>
      json({ allowlists: { methods: [`a${'_'.repeat(1e6)}-`] } }, 'PUT'),
    ),
    refusal: 'status 400',
  },
  {
    ...control('a text that nearly matches', `/requests?text=${'a'.repeat(7000)}b`),
    prepare: (node) =>
      callRaw(
        node,
        JSON.stringify(
          many(100, (id) => ({ jsonrpc: '2.0', id, method: 'eth_call', params: ['a'.repeat(16_000)] })),
        ),
      ),
    refusal: 'status 400',
  },
  {
    ...control('a short text that nearly matches', `/requests?text=${'a'.repeat(255)}b`),
    prepare: (node) =>
      callRaw(
        node,
        JSON.stringify(
          many(100, (id) => ({ jsonrpc: '2.0', id, method: 'eth_call', params: ['a'.repeat(16_000)] })),
        ),
      ),
  },
  besideFaults(
    'eth_chainId: beside a hundred faults of 19,000 methods',
    () => ({ match: { method: many(19_000, (i) => `m${i}`) }, action: { type: 'delay', milliseconds: 1 } }),
    { count: 100, run: (node, signal) => sendCall(node, 'eth_chainId', [], signal) },
  ),
  besideFaults(
    '/_standin/faults: forty long ones',
    () => ({
      match: { method: 'none' },
      action: { type: 'status', status: 500, body: 'x'.repeat(2_000_000) },
    }),
    { count: 40, run: (node, signal) => control('', '/faults').run(node, signal) },
  ),
  {
    name: '/_standin/keys: forty long ones',
    prepare: (node) =>
      sendKeys(node, () => json({ allowlists: { userAgents: ['x'.repeat(2_000_000)] } }, 'PUT')),
    run: (node, signal) =>
      control('', '/keys')
        .run(node, signal)
        .finally(() => sendKeys(node, () => ({ method: 'DELETE' }))),
  },
  control('hundreds of thousands of keys', '/clocks/quota', () =>
    json(Object.fromEntries(many(1.5e5, (i) => [`k${i}`, i])), 'PUT'),
  ),
]
