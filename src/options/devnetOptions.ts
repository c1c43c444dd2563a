import { TIMEOUT_MAX } from '../encoding/timeSlice.js'
import {
  LONGEST_WAIT_SECONDS,
  bigWholeNumber,
  choice,
  list,
  option,
  optionalOption,
  text,
  toggle,
  wholeNumber,
} from './kinds.js'

/** What makes the node stand in for another development node. */
export const devnetOptions = {
  compat: optionalOption({
    flag: 'compat',
    kind: choice(['anvil', 'hardhat', 'ganache']),
    description:
      'Take on the compatibility of another development node where they differ: client version, units of evm_setIntervalMining and evm_setTime, results of setters, answers to reverting transactions, words of refusals, equal timestamps',
    group: 'Chain',
  }),
  clientVersion: optionalOption({
    flag: 'client-version',
    kind: text('TEXT'),
    description: 'What web3_clientVersion answers',
    group: 'Answers and limits',
  }),
  autoImpersonate: option({
    flag: 'auto-impersonate',
    aliases: ['auto-unlock'],
    kind: toggle(),
    default: false,
    description: 'Take transactions of every account in eth_sendTransaction, with a key or without',
    group: 'Accounts',
  }),
  artifacts: optionalOption({
    flag: 'artifacts',
    kind: text('DIRECTORY'),
    description: 'Folder of hardhat, foundry or solc output, whose ABIs name errors, functions and events',
    group: 'Output',
  }),
  trace: option({
    flag: 'trace',
    aliases: ['print-traces', 'enable-trace-printing'],
    kind: toggle(),
    default: false,
    description: 'Print the calls of every mined transaction as a tree',
    group: 'Output',
  }),
  disableConsoleLog: option({
    flag: 'disable-console-log',
    aliases: ['no-console-log'],
    kind: toggle(),
    default: false,
    description: 'Do not print what contracts give to console.log',
    group: 'Output',
  }),
  loadState: optionalOption({
    flag: 'load-state',
    kind: text('FILE'),
    description: "Begin with a state that was dumped by this node or anvil, or with a geth genesis' accounts",
    group: 'Data',
  }),
  dumpState: optionalOption({
    flag: 'dump-state',
    kind: text('FILE'),
    description: "Write the state in anvil's form when the node stops; a folder means state.json in it",
    group: 'Data',
  }),
  dumpGenesis: optionalOption({
    flag: 'dump-genesis',
    kind: text('FILE'),
    description:
      "Write the state as a geth genesis.json when the node stops, for --genesis and other clients' init",
    group: 'Data',
  }),
  state: optionalOption({
    flag: 'state',
    kind: text('FILE'),
    description: '--load-state, if the file is there, and --dump-state',
    group: 'Data',
  }),
  stateInterval: optionalOption({
    flag: 'state-interval',
    aliases: ['s'],
    kind: wholeNumber({ minimum: 1, maximum: LONGEST_WAIT_SECONDS, valueName: 'SECONDS' }),
    description: 'Write the state every so many seconds too',
    group: 'Data',
  }),
  mixedMining: option({
    flag: 'mixed-mining',
    kind: toggle(),
    default: false,
    description: 'With --block-time: mine for each transaction as well',
    group: 'Mining',
  }),
}

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
