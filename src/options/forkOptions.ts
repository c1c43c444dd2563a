import { TIMEOUT_MAX } from '../encoding/timeSlice.js'
import {
  bigWholeNumber,
  list,
  option,
  optionGroup,
  optionalOption,
  text,
  toggle,
  wholeNumber,
} from './kinds.js'

/** Options of a chain forked from another node's. */
export const forkOptions = optionGroup('Fork', {
  forkUrl: optionalOption(
    text('URL[@BLOCK]', /^https?:\/\/./, 'an http or https URL'),
    'Go on from the chain of this node: its state and blocks are fetched when they are needed',
    { aliases: ['f', 'rpc-url', 'fork', 'fork.url'], holdsSecrets: true },
  ),
  forkBlock: optionalOption(
    bigWholeNumber({ valueName: 'NUMBER' }),
    'The block to go on from; the newest one of the remote unless given',
    { aliases: ['fork-block-number', 'fork.blockNumber'] },
  ),
  allowRemoteReset: toggle(
    'Let anvil_reset and anvil_setRpcUrl name the node to go on from; only the one of --fork-url unless given',
  ),
  forkRetries: option(
    wholeNumber(),
    5,
    'How often a request to the remote is tried again when it fails or is limited',
    { aliases: ['retries'] },
  ),
  forkTimeout: option(
    wholeNumber({ minimum: 1, maximum: TIMEOUT_MAX, valueName: 'MILLISECONDS' }),
    45_000,
    'Longest time that one request to the remote takes',
    { aliases: ['timeout'] },
  ),
  forkBackoff: option(
    wholeNumber({ valueName: 'MILLISECONDS' }),
    250,
    'How long to wait before the first new try; each further one waits twice as long',
    { aliases: ['fork-retry-backoff'] },
  ),
  forkHeader: option(
    list(text('NAME:VALUE', /^[^\s:]+:.*$/, 'a header as NAME: VALUE')),
    [],
    'Header to send to the remote, such as an authorization; may be repeated, goes to no other host',
    { holdsSecrets: true },
  ),
  forkCache: optionalOption(
    text('DIRECTORY'),
    'Where state of remotes is kept for later runs; standin/fork in the cache directory of the user unless given, ' +
      'and for remotes on this machine nowhere',
    { aliases: ['cache-path'] },
  ),
  noForkCache: toggle('Keep nothing of the remote for later runs', { aliases: ['no-storage-caching'] }),
})
