import { postFiles } from '../requests.js'
import type { TorturedNode } from '../node.js'
import { file, firstRefusal, many, oncePerNode, sendFile, type Bomb } from './bomb.js'

/** Sends JSON as the whole configuration. */
const replaced = (make: () => object) => () => Buffer.from(JSON.stringify(make()))

/** Sets thousands of settings, which takes minutes, unless they are there. */
function besideSettings(name: string, run: Bomb['run']): Bomb {
  return {
    name: `${name} beside 1,900 settings`,
    async prepare(node) {
      if ((await sendFile(node, 'config?arg=DNS.Resolvers.r1899')) === undefined) return
      for (let first = 0; first < 1900; first += 100) {
        await firstRefusal(
          many(100, (i) => sendFile(node, `config?arg=DNS.Resolvers.r${first + i}&arg=https://example.com`)),
        )
      }
    },
    run,
  }
}

const EMPTY_OBJECTS = `[${'{},'.repeat(4900)}{}]`

/** Sets plugins whose settings are lists of thousands of empty objects, and forgets them afterwards. */
function besidePlugins(path: string, content?: Uint8Array): Bomb {
  return {
    name: `${path} beside 440,000 empty objects`,
    prepare: (node) =>
      firstRefusal(
        many(90, (i) =>
          sendFile(node, `config?arg=Plugins.Plugins.p${i}.Config&arg=${EMPTY_OBJECTS}&json=true`),
        ),
      ),
    run: (node, signal) =>
      sendFile(node, path, content, signal).finally(() =>
        sendFile(node, 'config?arg=Plugins.Plugins&arg={}&json=true'),
      ),
  }
}

/** The configuration without resolvers, which are there already, and what other bombs set. */
const shown = oncePerNode(async (node: TorturedNode) => {
  const {
    DNS: _,
    Gateway: __,
    Peering: ___,
    ...others
  } = JSON.parse(await postFiles(node, 'config/show')) as Record<string, unknown>
  return Buffer.from(JSON.stringify(others))
})

/** Bombs of the file network's configuration. */
export const configurations: readonly Bomb[] = [
  {
    ...file(
      'config/replace: a size of 60,000 digits',
      () => 'config/replace',
      replaced(() => ({ Import: { UnixFSHAMTDirectorySizeThreshold: `${'1'.repeat(60_000)}.1.` } })),
    ),
    refusal: 'failed to decode file as config',
  },
  file(
    'config/replace with a duration of 30,000 parts',
    () => 'config/replace',
    replaced(() => ({ AutoConf: { RefreshInterval: '1s'.repeat(30_000) } })),
  ),
  file(
    'config/replace with peers with thousands of addresses',
    () => 'config/replace',
    replaced(() => ({ Peering: { Peers: [{ Addrs: many(5500, () => '/ip6/::1') }] } })),
  ),
  file(
    'config/replace with thousands of gateways',
    () => 'config/replace',
    replaced(() => ({ Gateway: { PublicGateways: Object.fromEntries(many(6000, (i) => [`${i}`, {}])) } })),
  ),
  {
    ...file('config: a value of 30,000 lines', () => 'config?arg=Gateway.RootRedirect&encoding=text'),
    prepare: (node) =>
      sendFile(
        node,
        'config/replace',
        replaced(() => ({ Gateway: { RootRedirect: `a${'\n'.repeat(30_000)}b` } }))(),
      ),
  },
  besideSettings('config', (node, signal) =>
    sendFile(node, 'config?arg=Gateway.RootRedirect&arg=', undefined, signal),
  ),
  besideSettings('config/profile/apply', (node, signal) =>
    sendFile(node, 'config/profile/apply?arg=test&dry-run=true', undefined, signal),
  ),
  // The last, as it removes the settings.
  besideSettings('config/replace of all other settings', async (node, signal) =>
    sendFile(node, 'config/replace', await shown(node), signal),
  ),
  besidePlugins('block/put', Buffer.from('x')),
  besidePlugins('config/show'),
  besidePlugins('config/show?encoding=text'),
  besidePlugins('config?arg=Plugins&encoding=text'),
  besidePlugins('config?arg=Gateway.RootRedirect&arg='),
]
