import {
  LONGEST_WAIT_SECONDS,
  choice,
  optionGroup,
  optionalOption,
  text,
  toggle,
  wholeNumber,
} from './kinds.js'

/** Options for standing in for another development node. */
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
