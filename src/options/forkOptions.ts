import { TIMEOUT_MAX } from '../encoding/timeSlice.js'
import { option, optionalOption } from './definition.js'
import { bigWholeNumber, list, text, toggle, wholeNumber } from './kinds.js'

/** A chain that goes on from a block of another node's chain. */
export const forkOptions = {
  forkUrl: optionalOption({
    flag: 'fork-url',
    aliases: ['f', 'rpc-url', 'fork', 'fork.url'],
    kind: text('URL[@BLOCK]', /^https?:\/\/./, 'an http or https URL'),
    holdsSecrets: true,
    description: 'Go on from the chain of this node: its state and blocks are fetched when they are needed',
    group: 'Fork',
  }),
  forkBlock: optionalOption({
    flag: 'fork-block',
    aliases: ['fork-block-number', 'fork.blockNumber'],
    kind: bigWholeNumber({ valueName: 'NUMBER' }),
    description: 'The block to go on from; the newest one of the remote unless given',
    group: 'Fork',
  }),
  allowRemoteReset: option({
    flag: 'allow-remote-reset',
    kind: toggle(),
    default: false,
    description:
      'Let anvil_reset and anvil_setRpcUrl name the node to go on from; only the one of --fork-url unless given',
    group: 'Fork',
  }),
  forkRetries: option({
    flag: 'fork-retries',
    aliases: ['retries'],
    kind: wholeNumber(),
    default: 5,
    description: 'How often a request to the remote is tried again when it fails or is limited',
    group: 'Fork',
  }),
  forkTimeout: option({
    flag: 'fork-timeout',
    aliases: ['timeout'],
    kind: wholeNumber({ minimum: 1, maximum: TIMEOUT_MAX, valueName: 'MILLISECONDS' }),
    default: 45_000,
    description: 'Longest time that one request to the remote takes',
    group: 'Fork',
  }),
  forkBackoff: option({
    flag: 'fork-backoff',
    aliases: ['fork-retry-backoff'],
    kind: wholeNumber({ valueName: 'MILLISECONDS' }),
    default: 250,
    description: 'How long to wait before the first new try; each further one waits twice as long',
    group: 'Fork',
  }),
  forkHeader: option({
    flag: 'fork-header',
    kind: list(text('NAME:VALUE', /^[^\s:]+:.*$/, 'a header as NAME: VALUE')),
    holdsSecrets: true,
    default: [],
    description:
      'Header to send to the remote, such as an authorization; may be repeated, goes to no other host',
    group: 'Fork',
  }),
  forkCache: optionalOption({
    flag: 'fork-cache',
    aliases: ['cache-path'],
    kind: text('DIRECTORY'),
    description:
      'Where state of remotes is kept for later runs; standin/fork in the cache directory of the user unless given, ' +
      'and for remotes on this machine nowhere',
    group: 'Fork',
  }),
  noForkCache: option({
    flag: 'no-fork-cache',
    aliases: ['no-storage-caching'],
    kind: toggle(),
    default: false,
    description: 'Keep nothing of the remote for later runs',
    group: 'Fork',
  }),
}
