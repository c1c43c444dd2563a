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
    'Fork the chain of this node; its state and blocks are fetched on demand',
    { aliases: ['f', 'rpc-url', 'fork', 'fork.url'], holdsSecrets: true },
  ),
  forkBlock: optionalOption(
    bigWholeNumber({ valueName: 'NUMBER' }),
    'Block to fork from; defaults to the latest block of the remote',
    { aliases: ['fork-block-number', 'fork.blockNumber'] },
  ),
  allowRemoteReset: toggle(
    'Let anvil_reset and anvil_setRpcUrl fork from any node, not only that of --fork-url',
  ),
  forkRetries: option(
    wholeNumber(),
    5,
    'Number of retries for a request to the remote that fails or is rate-limited',
    { aliases: ['retries'] },
  ),
  forkTimeout: option(
    wholeNumber({ minimum: 1, maximum: TIMEOUT_MAX, valueName: 'MILLISECONDS' }),
    45_000,
    'Timeout for one request to the remote',
    { aliases: ['timeout'] },
  ),
  forkBackoff: option(
    wholeNumber({ valueName: 'MILLISECONDS' }),
    250,
    'Delay before the first retry; doubles with each further one',
    { aliases: ['fork-retry-backoff'] },
  ),
  forkHeader: option(
    list(text('NAME:VALUE', /^[^\s:]+:.*$/, 'a header as NAME: VALUE')),
    [],
    'Header to send to the remote (and to no other host), such as Authorization; may be repeated',
    { holdsSecrets: true },
  ),
  forkCache: optionalOption(
    text('DIRECTORY'),
    "Where to cache the state of remotes for later runs; defaults to standin/fork in the user's cache directory, " +
      'and to no cache for remotes on this machine',
    { aliases: ['cache-path'] },
  ),
  noForkCache: toggle("Don't cache data of the remote for later runs", { aliases: ['no-storage-caching'] }),
})
