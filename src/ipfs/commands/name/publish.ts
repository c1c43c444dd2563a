import { printable } from '../../request/textForm.js'
import type { PrivateKey } from '@libp2p/interface'
import { linksOf } from '../../dag/links.js'
import { parsePath } from '../../dag/path.js'
import { FileNetworkError } from '../../errors.js'
import { cleanSegments } from '../../mfs/filesPath.js'
import {
  type Keystore,
  formatName,
  ipnsBaseOption,
  nameOf,
  parseName,
  selfName,
} from '../../names/keystore.js'
import { isNamePath, resolveText } from '../../names/nameSystem.js'
import { defineCommand, pathArgument, single } from '../../request/command.js'
import { parseGoNanoseconds, parseGoDuration } from '../../request/goDuration.js'

/** `name/publish`: publishes a path under a name. There are no peers, so `allow-offline` is required. */
export const namePublish = defineCommand({
  description: 'Publish a path under an IPNS name.',
  arguments: [pathArgument('ipfs-path', 'Path to publish.', 'missing')],
  options: {
    key: { type: 'string', aliases: ['k'], default: 'self', description: 'Name or id of the key.' },
    resolve: { type: 'bool', default: true, description: 'Check that the path resolves.' },
    lifetime: {
      type: 'string',
      aliases: ['t'],
      default: '48h0m0s',
      description: 'How long the record is valid.',
    },
    ttl: { type: 'string', default: '5m0s', description: 'How long others may cache the record.' },
    quieter: { type: 'bool', aliases: ['Q'], description: 'Text output only.' },
    v1compat: { type: 'bool', default: true, description: 'Also add a version 1 signature.' },
    'allow-offline': { type: 'bool', description: 'Publish without peers; required on this node.' },
    'allow-delegated': { type: 'bool', description: 'Refused: there are no delegated publishers.' },
    sequence: { type: 'uint64', description: 'Sequence number; must exceed the previous one.' },
    'ipns-base': ipnsBaseOption,
  },
  text: ({ Name, Value }: { Name: string; Value: string }, { options }) =>
    options.quieter ? `${Name}\n` : `Published to ${Name}: ${printable(Value)}\n`,
  async run({ args: [arg = ''], options }, network) {
    const { 'allow-offline': offline = false, 'allow-delegated': delegated = false } = options
    if (offline && delegated) {
      throw new FileNetworkError('cannot use both --allow-offline and --allow-delegated flags')
    }
    const lifetimeMilliseconds = parseGoDuration(options.lifetime, 'error parsing lifetime option: ')
    const ttlNanoseconds = parseGoNanoseconds(options.ttl)
    const value = normalizePath(arg)
    if (options.resolve) {
      const { cid } = await resolveText(network, value)
      await linksOf(cid, await network.blockstore.get(cid))
    }
    if (delegated) {
      throw new FileNetworkError(
        'no delegated publishers configured: add Ipns.DelegatedPublishers or use --allow-offline for local-only publishing',
      )
    }
    if (!offline) {
      throw new FileNetworkError(
        "can't publish while offline: pass `--allow-offline` to override or `--allow-delegated` if Ipns.DelegatedPublishers are set up",
      )
    }
    const name = await network.names.publish(await findKey(network.keystore, options.key), {
      value,
      lifetimeMilliseconds,
      ttlNanoseconds,
      sequence: options.sequence,
      isVersion1Compatible: options.v1compat,
    })
    return single({ Name: formatName(name), Value: value })
  },
})

/** Returns the path to publish: absolute and cleaned, keeping a trailing slash. */
function normalizePath(text: string): string {
  return cleanPath(text) + (text.endsWith('/') ? '/' : '')
}

function cleanPath(text: string): string {
  const segments = cleanSegments(text)
  if (isNamePath(text)) return `/${segments.join('/')}`
  const { namespace, segments: below } = parsePath(text)
  // The CID stays as it is written.
  const root = segments.at(-1 - below.length)
  return ['', namespace, root, ...below].join('/')
}

/** Finds a key by name or ID. */
async function findKey(keystore: Keystore, text: string): Promise<PrivateKey> {
  const self = await keystore.self()
  if (text === selfName) return self
  const named = await keystore.get(text)
  if (named !== undefined) return named
  const id = parseName(text)
  if (id !== undefined) {
    if (nameOf(self.publicKey).equals(id)) return self
    for await (const { key } of keystore.list()) if (nameOf(key.publicKey).equals(id)) return key
  }
  throw new FileNetworkError('no key by the given name was found')
}
