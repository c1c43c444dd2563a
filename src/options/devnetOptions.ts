import { option, optionalOption } from './definition.js'
import { choice, text, toggle } from './kinds.js'

/** What makes the node stand in for another development node. */
export const devnetOptions = {
  compat: optionalOption({
    flag: 'compat',
    kind: choice(['anvil', 'hardhat', 'ganache']),
    description:
      'Take on the habits of another development node where they differ: client version, units of evm_setIntervalMining and evm_setTime, results of setters, answers to reverting transactions, equal timestamps',
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
  mixedMining: option({
    flag: 'mixed-mining',
    kind: toggle(),
    default: false,
    description: 'With --block-time: mine for each transaction as well',
    group: 'Mining',
  }),
}
