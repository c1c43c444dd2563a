import { create } from 'kubo-rpc-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createNode } from '../../src/index.js'

// Results of the same calls with Kubo 0.42.0, `ipfs daemon --offline`.
let node: Awaited<ReturnType<typeof createNode>>
let client: ReturnType<typeof create>
beforeAll(async () => {
  node = await createNode()
  client = create({ url: node.ipfsUrl })
})
afterAll(() => node.stop())

const peer = '12D3KooWFkLGmNYhnGkYw1yRxd5x7bpNtowgwhghQMXSP7PGV6JQ'
const address = `/ip4/127.0.0.1/tcp/1/p2p/${peer}`
const needsDaemon = "this command must be run in online mode. Try running 'ipfs daemon' first"
const needsOnlineMode = "this action must be run in online mode, try running 'ipfs daemon' first"
const noPubsub = 'experimental pubsub feature not enabled, run daemon with --enable-pubsub-experiment to use'

async function collect(source: unknown): Promise<unknown[]> {
  const values: unknown[] = []
  for await (const value of source as AsyncIterable<unknown>) values.push(value)
  return values
}

const refused: [name: string, call: (ipfs: typeof client) => unknown, message: string][] = [
  ['ping', ({ ping }) => collect(ping(peer)), needsDaemon],
  ['routing.findPeer', ({ routing }) => collect(routing.findPeer(peer)), needsDaemon],
  ['routing.get', ({ routing }) => collect(routing.get(`/ipns/${peer}`)), needsOnlineMode],
  [
    'routing.put',
    ({ routing }) => collect(routing.put(`/ipns/${peer}`, Buffer.from('x'))),
    "can't put while offline: pass `--allow-offline` to override",
  ],
  [
    'swarm.connect',
    ({ swarm }) => swarm.connect(address as never),
    `connect ${peer} failure: ${needsOnlineMode}`,
  ],
  ['pubsub.ls', ({ pubsub }) => pubsub.ls(), noPubsub],
  ['pubsub.peers', ({ pubsub }) => pubsub.peers('x'), noPubsub],
  ['pubsub.publish', ({ pubsub }) => pubsub.publish('x', Buffer.from('y')), noPubsub],
  ['name.pubsub.subs', ({ name }) => name.pubsub.subs(), 'IPNS pubsub subsystem is not enabled'],
  ['name.pubsub.cancel', ({ name }) => name.pubsub.cancel('x'), 'IPNS pubsub subsystem is not enabled'],
  ['pin.remote.ls', ({ pin }) => collect(pin.remote.ls({ service: 'nope' })), 'service not known'],
  ['pin.remote.rmAll', ({ pin }) => pin.remote.rmAll({ service: 'nope' }), 'service not known'],
  ['log.level', ({ log }) => log.level('core', 'nope'), 'unrecognized level: "nope"'],
]

it.each(refused)("%s is refused with Kubo's message", async (_, call, message) => {
  await expect(Promise.resolve(call(client))).rejects.toThrow(message)
})

it('lists pinning services', async () => {
  const { service } = client.pin.remote
  expect(await service.ls()).toEqual([])
  await service.add('svc', { endpoint: new URL('http://127.0.0.1:1'), key: 'k' })
  expect(await service.ls({ stat: true })).toEqual([
    { service: 'svc', endpoint: new URL('http://127.0.0.1:1/'), stat: { status: 'invalid' } },
  ])
  await service.rm('svc')
  expect(await service.ls()).toEqual([])
})

it('finds no records of an unpublished name', async () => {
  const none = 'k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8'
  expect(await collect(client.name.resolve(none))).toEqual([])
})

it('reports its status', async () => {
  expect(await client.name.pubsub.state()).toEqual({ enabled: false })
  expect(await client.log.level('core', 'debug')).toEqual({
    message: "Changed log level of 'core' to 'debug'\n",
  })
  expect(Object.keys((await client.diag.sys()) as object)).toEqual([
    'diskinfo',
    'environment',
    'ipfs_commit',
    'ipfs_version',
    'memory',
    'net',
    'runtime',
  ])
  expect(await client.diag.cmds()).toContainEqual(expect.objectContaining({ Command: 'diag/cmds' }))
})
