import { runToCompletion } from '../../encoding/timeSlice.js'
import { peersIn } from './bootstrap.js'
import { decodeMultibase } from '../cid/multibase.js'
import { ClientError, FileNetworkError, withPrefix } from '../errors.js'
import { createKeyEncoder, ipnsBaseOption } from '../names/keystore.js'
import {
  type ArgumentSpec,
  type Command,
  type CommandInput,
  type OptionSpec,
  type OptionSpecs,
  defineCommand,
  fileArgument,
  optionalArgument,
  optionalArguments,
  pathArgument,
  pathArguments,
} from '../request/command.js'

/*
 * Operations that Kubo refuses without peers, without an experiment that is off by default, or altogether. It parses
 * the request first, so they still declare their arguments and options.
 */

function checkAddresses({ args }: CommandInput<OptionSpecs>): void {
  runToCompletion(peersIn(args))
}

type Row = readonly [path: string, command: Command]

/** Inputs of a refused operation. */
interface Refused {
  arguments?: readonly ArgumentSpec[]
  options?: OptionSpecs
  /** Throws if the request is invalid. */
  check?: (input: CommandInput<OptionSpecs>) => void
}

function refuse(path: string, message: string, refused: Refused = {}): Row {
  return refuseWith(path, new FileNetworkError(message), refused)
}

function refuseWith(path: string, error: FileNetworkError, refused: Refused = {}): Row {
  const command = defineCommand({
    description: `Refused: ${error.message}.`,
    arguments: refused.arguments ?? [],
    options: refused.options ?? {},
    run(input) {
      refused.check?.(input)
      throw error
    },
  })
  return [path, command]
}

function option(type: OptionSpec['type'], ...aliases: string[]): OptionSpec {
  return { type, aliases, description: 'No effect.' }
}

const verbose = { verbose: option('bool', 'v') }
const headers = { headers: option('bool', 'v') }
const all = { all: option('bool', 'a') }
const protocol = pathArgument('protocol', 'Protocol.')
const target = pathArgument('target-address', 'Target address.')
const key = pathArgument('key', 'Key.')
const addresses = pathArguments('address', 'Multiaddresses.', 'missing')
const customProtocol = { 'allow-custom-protocol': option('bool') }
const foreground = { foreground: option('bool', 'f') }

const statistics: OptionSpecs = {
  lan: option('bool'),
  ...all,
  ...Object.fromEntries(
    ['compact', 'connectivity', 'network', 'schedule', 'timings', 'workers', 'operations', 'queues'].map(
      (name) => [name, option('bool')],
    ),
  ),
}

/** Kubo's message for commands that need a daemon with peers. */
export const needsDaemon = "this command must be run in online mode. Try running 'ipfs daemon' first"

/** Operations that need peers, with Kubo's message when it is offline. */
const onlineOperations: readonly Row[] = (
  [
    ['bitswap/ledger', { arguments: [pathArgument('peer', 'Peer.')] }],
    ['bitswap/reprovide', {}],
    [
      'mount',
      {
        options: {
          'ipfs-path': option('string', 'f'),
          'ipns-path': option('string', 'n'),
          'mfs-path': option('string', 'm'),
        },
      },
    ],
    [
      'ping',
      { arguments: [pathArguments('peer ID', 'Peer.', 'missing')], options: { count: option('int', 'n') } },
    ],
    [
      'provide/once',
      { arguments: [pathArguments('cid', 'CIDs.', 'missing')], options: { recursive: option('bool', 'r') } },
    ],
    ['provide/stat', { options: statistics }],
    ['routing/findpeer', { arguments: [pathArguments('peerID', 'Peer.')], options: verbose }],
    [
      'routing/findprovs',
      {
        arguments: [pathArguments('key', 'CIDs.')],
        options: { ...verbose, 'num-providers': option('int', 'n') },
      },
    ],
    [
      'routing/provide',
      {
        arguments: [pathArguments('key', 'CIDs.', 'missing')],
        options: { ...verbose, recursive: option('bool', 'r') },
      },
    ],
    ['routing/reprovide', {}],
    ['stats/dht', { arguments: [optionalArguments('dht', 'wan or lan.')] }],
    ['stats/provide', { options: statistics }],
    ['stats/reprovide', { options: statistics }],
    ['swarm/addrs/autonat', {}],
    ['swarm/filters', {}],
    ['swarm/filters/add', { arguments: [addresses] }],
    ['swarm/filters/rm', { arguments: [addresses] }],
    [
      'swarm/peering/add',
      { arguments: [pathArguments('address', 'Multiaddresses.')], check: checkAddresses },
    ],
    ['swarm/peering/ls', {}],
    ['swarm/peering/rm', { arguments: [pathArguments('ID', 'Peers.')] }],
    ['version/check', { options: { 'min-percent': option('int', 't') } }],
  ] as const
).map(([path, refused]) => refuse(path, needsDaemon, refused))

/** Kubo's core message where peers would have to be asked. */
export const needsOnlineMode = "this action must be run in online mode, try running 'ipfs daemon' first"

const streamMounting = 'libp2p stream mounting not enabled'
const streamOperations = [
  refuse('p2p/ls', streamMounting, { options: headers }),
  refuse('p2p/close', streamMounting, {
    options: {
      ...all,
      protocol: option('string', 'p'),
      'listen-address': option('string', 'l'),
      'target-address': option('string', 't'),
    },
  }),
  refuse('p2p/forward', streamMounting, {
    arguments: [protocol, pathArgument('listen-address', 'Listen address.'), target],
    options: { ...customProtocol, ...foreground },
  }),
  refuse('p2p/listen', streamMounting, {
    arguments: [protocol, target],
    options: { ...customProtocol, 'report-peer-id': option('bool', 'r'), ...foreground },
  }),
  refuse('p2p/stream/close', streamMounting, {
    arguments: [optionalArgument('id', 'Stream.')],
    options: all,
  }),
  refuse('p2p/stream/ls', streamMounting, { options: headers }),
]

const noPubsub = 'experimental pubsub feature not enabled, run daemon with --enable-pubsub-experiment to use'
const topic = pathArgument('topic', 'Topic, in multibase.')
const pubsubOperations = [
  refuse('pubsub/ls', noPubsub),
  refuse('pubsub/peers', noPubsub, { arguments: [{ ...topic, required: false }], check: checkTopic }),
  refuse('pubsub/pub', noPubsub, {
    arguments: [topic, fileArgument('data', 'Message.')],
    check: checkTopic,
  }),
  refuse('pubsub/sub', noPubsub, { arguments: [topic], check: checkTopic }),
]

function checkTopic({ args: [text] }: CommandInput<OptionSpecs>): void {
  if (text === undefined) return
  withPrefix('URL arg must be multibase encoded: ', () => decodeMultibase(text))
  if (!text.startsWith('u')) throw new FileNetworkError('URL arg must be base64url encoded')
}

const noNamePubsub = new ClientError('IPNS pubsub subsystem is not enabled')
const namePubsubOperations = [
  refuseWith('name/pubsub/cancel', noNamePubsub, { arguments: [pathArgument('name', 'Name.')] }),
  refuseWith('name/pubsub/subs', noNamePubsub, {
    options: { 'ipns-base': ipnsBaseOption },
    check: ({ options }) => void createKeyEncoder(options['ipns-base'] as string),
  }),
]

/** Operations that Kubo 0.42.0 still knows by name but has removed. */
const removedOperations = [
  ...['data', 'get', 'links', 'new', 'patch/append-data', 'patch/set-data', 'put', 'stat'].map((name) =>
    refuse(`object/${name}`, "removed, use 'ipfs dag' or 'ipfs files' instead"),
  ),
  ...['findpeer', 'findprovs', 'get', 'provide', 'put'].map((name) =>
    refuse(`dht/${name}`, "removed, use 'ipfs routing' instead"),
  ),
]

const noFilestore = 'filestore is not enabled, see https://git.io/vNItf'
const stored = [optionalArguments('obj', 'CIDs.')]
const filestoreOperations = [
  refuse('filestore/dups', noFilestore),
  refuse('filestore/ls', noFilestore, { arguments: stored, options: { 'file-order': option('bool') } }),
  refuse('filestore/verify', noFilestore, {
    arguments: stored,
    options: { 'file-order': option('bool'), 'remove-bad-blocks': option('bool') },
  }),
]

/** Operations that are always refused. */
export const refusedOperations: readonly Row[] = [
  ...onlineOperations,
  ...streamOperations,
  ...pubsubOperations,
  ...namePubsubOperations,
  ...removedOperations,
  ...filestoreOperations,
  refuse('dht/query', 'routing service is not a DHT', {
    arguments: [pathArguments('peerID', 'Peer.')],
    options: verbose,
  }),
  refuse('name/get', needsOnlineMode, { arguments: [pathArgument('name', 'Name.')] }),
  refuse('routing/get', needsOnlineMode, { arguments: [{ ...key, variadic: true }] }),
  refuse(
    'swarm/resources',
    'missing ResourceMgr: make sure the daemon is running with Swarm.ResourceMgr.Enabled',
  ),
]

/**
 * Operations that `commands` lists but Kubo's HTTP API lacks, with their options: command lines run them locally. Two
 * more concern Kubo's own process, which this node does not have: `diag/profile` and `shutdown`.
 */
export const unservedOperations: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  ['commands/completion', []],
  ['commands/completion/bash', []],
  ['commands/completion/fish', []],
  ['commands/completion/zsh', []],
  ['config/edit', []],
  ['diag/datastore', []],
  ['diag/datastore/count', []],
  ['diag/datastore/get', [['hex']]],
  ['diag/datastore/put', []],
  [
    'diag/profile',
    [['output', 'o'], ['collectors'], ['profile-time'], ['mutex-profile-fraction'], ['block-profile-rate']],
  ],
  ['files/chroot', [['confirm']]],
  [
    'key/export',
    [
      ['output', 'o'],
      ['format', 'f'],
    ],
  ],
  [
    'key/rotate',
    [
      ['oldkey', 'o'],
      ['type', 't'],
      ['size', 's'],
    ],
  ],
  ['repo/migrate', [['to'], ['allow-downgrade']]],
  ['shutdown', []],
  ['update', []],
  ['update/check', [['pre']]],
  ['update/clean', []],
  ['update/install', [['pre'], ['allow-downgrade']]],
  ['update/revert', []],
  ['update/versions', [['count', 'n'], ['pre']]],
])
