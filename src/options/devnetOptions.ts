import { option, optionalOption } from './definition.js'
import { choice, LONGEST_WAIT_SECONDS, text, toggle, wholeNumber } from './kinds.js'

/** What makes the node stand in for another development node. */
export const devnetOptions = {
  compat: optionalOption({
    flag: 'compat',
    kind: choice(['anvil', 'hardhat', 'ganache']),
    description:
      'Take on the habits of another development node where they differ: client version, units of evm_setIntervalMining and evm_setTime, results of setters, answers to reverting transactions, words of refusals, equal timestamps',
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
