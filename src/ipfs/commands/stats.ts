import { withPrefix } from '../errors.js'
import { readPeerId } from '../names/keystore.js'
import { defineCommand, nothing, single, valuesOf } from '../request/command.js'

/** `stats/bw`: bytes exchanged with peers, of which there are none. */
export const statsBw = defineCommand({
  description: 'Show bandwidth usage: always zero.',
  arguments: [],
  options: {
    peer: { type: 'string', aliases: ['p'], description: 'No effect: there are no peers.' },
    proto: { type: 'string', aliases: ['t'], description: 'No effect: there are no peers.' },
    poll: { type: 'bool', description: 'No effect: the numbers are sent only once.' },
    interval: {
      type: 'string',
      aliases: ['i'],
      default: '1s',
      description: 'No effect: the numbers do not change.',
    },
  },
  run: () => valuesOf({ TotalIn: 0, TotalOut: 0, RateIn: 0, RateOut: 0 }),
})

/** `stats/bitswap` and `bitswap/stat`: blocks exchanged with peers, of which there are none. */
export const statsBitswap = defineCommand({
  description: 'Show bitswap statistics: always zero.',
  arguments: [],
  options: {
    verbose: { type: 'bool', aliases: ['v'], description: 'Text output only.' },
    human: { type: 'bool', description: 'Text output only.' },
  },
  text: (_, { options: { human } }) => {
    const none = human === true ? '0 B' : '0'
    const lines = ['blocks received: 0', 'blocks sent: 0', `data received: ${none}`, `data sent: ${none}`]
    lines.push('dup blocks received: 0', `dup data received: ${none}`, 'wantlist [0 keys]', 'partners [0]')
    return `bitswap status\n\t${lines.join('\n\t')}\n`
  },
  run: () =>
    single({
      Wantlist: [],
      Peers: [],
      BlocksReceived: 0,
      DataReceived: 0,
      DupBlksReceived: 0,
      DupDataReceived: 0,
      MessagesReceived: 0,
      BlocksSent: 0,
      DataSent: 0,
    }),
})

/** `provide/clear`: clears a queue that is always empty. */
export const provideClear = defineCommand({
  description: 'Clear the provide queue: it is always empty.',
  arguments: [],
  options: { quiet: { type: 'bool', aliases: ['q'], description: "Don't send an answer." } },
  text: (cleared: number) => `removed ${cleared} items from provide queue\n`,
  run: ({ options }) => (options.quiet ? nothing() : valuesOf(0)),
})

/** `pubsub/reset`: clears state from peers, of which there is none. */
export const pubsubReset = defineCommand({
  description: 'Reset the state of the pubsub validator: there is none.',
  arguments: [],
  options: { peer: { type: 'string', aliases: ['p'], description: 'Reset only this peer.' } },
  run({ options: { peer } }) {
    if (peer) withPrefix('invalid peer ID: ', () => readPeerId(peer))
    return single({ deleted: 0 })
  },
})

/** `name/pubsub/state`: names are not published over pubsub. */
export const namePubsubState = defineCommand({
  description: 'Show whether IPNS over pubsub is enabled: it is not.',
  arguments: [],
  options: {},
  text: ({ Enabled }: { Enabled: boolean }) => (Enabled ? 'enabled\n' : 'disabled\n'),
  run: () => single({ Enabled: false }),
})

/** `bitswap/wantlist`: lists wanted blocks; none, since a missing block is an error here. */
export const bitswapWantlist = defineCommand({
  description: 'List wanted blocks: always none.',
  arguments: [],
  options: { peer: { type: 'string', aliases: ['p'], description: 'No effect: there are no peers.' } },
  text: () => '',
  run: () => single({ Keys: [] }),
})
