import { defineCommand, single, values } from '../request/command.js'

/** `stats/bw`: bytes exchanged with peers, of which there are none. */
export const statsBw = defineCommand({
  description: 'Show the bandwidth used: none.',
  arguments: [],
  options: {
    peer: { type: 'string', aliases: ['p'], description: 'No effect: there are no peers.' },
    proto: { type: 'string', aliases: ['t'], description: 'No effect: there are no peers.' },
    poll: { type: 'bool', description: 'No effect: the numbers are sent once.' },
    interval: {
      type: 'string',
      aliases: ['i'],
      default: '1s',
      description: 'No effect: they do not change.',
    },
  },
  run: () =>
    values(
      (async function* () {
        yield { TotalIn: 0, TotalOut: 0, RateIn: 0, RateOut: 0 }
      })(),
    ),
})

/** `stats/bitswap` and `bitswap/stat`: blocks exchanged with peers, of which there are none. */
export const statsBitswap = defineCommand({
  description: 'Show the exchange of blocks: none.',
  arguments: [],
  options: {
    verbose: { type: 'bool', aliases: ['v'], description: 'For command lines.' },
    human: { type: 'bool', description: 'For command lines.' },
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

/** `bitswap/wantlist`: blocks that are waited for; a missing block is an error here. */
export const bitswapWantlist = defineCommand({
  description: 'List the blocks that are waited for: none.',
  arguments: [],
  options: { peer: { type: 'string', aliases: ['p'], description: 'No effect: there are no peers.' } },
  run: () => single({ Keys: [] }),
})
