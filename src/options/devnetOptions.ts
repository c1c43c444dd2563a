import { TIMEOUT_MAX } from '../encoding/timeSlice.js'
import {
  LONGEST_WAIT_SECONDS,
  bigWholeNumber,
  choice,
  list,
  option,
  optionGroup,
  optionalOption,
  text,
  toggle,
  wholeNumber,
} from './kinds.js'

/** What makes the node stand in for another development node. */
export const devnetOptions = {
  ...optionGroup('Chain', {
    compat: optionalOption(
      choice(['anvil', 'hardhat', 'ganache']),
      'Take on the compatibility of another development node where they differ: client version, units of evm_setIntervalMining and evm_setTime, results of setters, answers to reverting transactions, words of refusals, equal timestamps',
    ),
  }),
  ...optionGroup('Answers and limits', {
    clientVersion: optionalOption(text('TEXT'), 'What web3_clientVersion answers'),
  }),
  ...optionGroup('Accounts', {
    autoImpersonate: toggle(
      'Take transactions of every account in eth_sendTransaction, with a key or without',
      { aliases: ['auto-unlock'] },
    ),
  }),
  ...optionGroup('Output', {
    artifacts: optionalOption(
      text('DIRECTORY'),
      'Folder of hardhat, foundry or solc output, whose ABIs name errors, functions and events',
    ),
    trace: toggle('Print the calls of every mined transaction as a tree', {
      aliases: ['print-traces', 'enable-trace-printing'],
    }),
    disableConsoleLog: toggle('Do not print what contracts give to console.log', {
      aliases: ['no-console-log'],
    }),
  }),
  ...optionGroup('Data', {
    loadState: optionalOption(
      text('FILE'),
      "Begin with a state that was dumped by this node or anvil, or with a geth genesis' accounts",
    ),
    dumpState: optionalOption(
      text('FILE'),
      "Write the state in anvil's form when the node stops; a folder means state.json in it",
    ),
    dumpGenesis: optionalOption(
      text('FILE'),
      "Write the state as a geth genesis.json when the node stops, for --genesis and other clients' init",
    ),
    state: optionalOption(text('FILE'), '--load-state, if the file is there, and --dump-state'),
    stateInterval: optionalOption(
      wholeNumber({ minimum: 1, maximum: LONGEST_WAIT_SECONDS, valueName: 'SECONDS' }),
      'Write the state every so many seconds too',
      { aliases: ['s'] },
    ),
  }),
  ...optionGroup('Mining', {
    mixedMining: toggle('With --block-time: mine for each transaction as well'),
  }),
}

/** A chain that goes on from a block of another node's chain. */
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
