import { MAX_WAIT_SECONDS, choice, optionGroup, optionalOption, text, toggle, wholeNumber } from './kinds.js'

/** Options for standing in for another development node. */
export const devnetOptions = {
  ...optionGroup('Chain', {
    compat: optionalOption(
      choice(['anvil', 'hardhat', 'ganache']),
      'Behave like another development node where they differ: client version, units of evm_setIntervalMining and evm_setTime, results of setters, answers to reverting transactions, error messages, equal timestamps',
    ),
  }),
  ...optionGroup('Answers and limits', {
    clientVersion: optionalOption(text('TEXT'), 'Version string that web3_clientVersion returns'),
  }),
  ...optionGroup('Accounts', {
    autoImpersonate: toggle('Let eth_sendTransaction send from any account, even without its private key', {
      aliases: ['auto-unlock'],
    }),
  }),
  ...optionGroup('Output', {
    artifacts: optionalOption(
      text('DIRECTORY'),
      'Directory of hardhat, foundry or solc output, whose ABIs name errors, functions and events',
    ),
    trace: toggle('Print a call tree of every mined transaction', {
      aliases: ['print-traces', 'enable-trace-printing'],
    }),
    disableConsoleLog: toggle("Don't print the console.log output of contracts", {
      aliases: ['no-console-log'],
    }),
  }),
  ...optionGroup('Data', {
    loadState: optionalOption(
      text('FILE'),
      'Start from a state that this node or anvil dumped, or from the accounts of a geth genesis',
    ),
    dumpState: optionalOption(
      text('FILE'),
      "Write the state in anvil's format when the node stops; a directory means state.json in it",
    ),
    dumpGenesis: optionalOption(
      text('FILE'),
      "Write the state as a geth genesis.json when the node stops, for --genesis and other clients' init",
    ),
    state: optionalOption(text('FILE'), 'Short for --dump-state, and for --load-state if the file exists'),
    stateInterval: optionalOption(
      wholeNumber({ minimum: 1, maximum: MAX_WAIT_SECONDS, valueName: 'SECONDS' }),
      'Also write the state at this interval',
      { aliases: ['s'] },
    ),
  }),
  ...optionGroup('Mining', {
    mixedMining: toggle('With --block-time, also mine a block for each transaction'),
  }),
}
