import {
  anyCase,
  bigWholeNumber,
  choice,
  decimalNumber,
  option,
  optionGroup,
  optionalOption,
  text,
  toggle,
  wholeNumber,
} from './kinds.js'

/** Names of hard forks for --hardfork, oldest first. */
const hardforkNames = [
  'frontier',
  'homestead',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'berlin',
  'london',
  'paris',
  'shanghai',
  'cancun',
  'prague',
  'osaka',
] as const

/** Further names: anvil's, and forks that private chains rarely start with. */
const furtherHardforkNames = [
  ...[
    'dao',
    'tangerine',
    'tangerinewhistle',
    'spuriousdragon',
    'muirglacier',
    'arrowglacier',
    'grayglacier',
    'merge',
  ],
  ...['bpo1', 'bpo2', 'latest'],
] as const

/** Options of the chain and of mining. */
export const chainOptions = {
  ...optionGroup('Chain', {
    chainId: option(bigWholeNumber({ minimum: 1n, valueName: 'ID' }), 31337n, 'Chain id and network id', {
      aliases: ['chainId', 'chain.chainId'],
    }),
    hardfork: option(
      anyCase(choice([...hardforkNames, ...furtherHardforkNames])),
      'osaka',
      'Hard fork whose rules apply; latest means osaka',
      { aliases: ['k', 'chain.hardfork'] },
    ),
    genesis: optionalOption(
      text('FILE'),
      'Start from this geth genesis.json: its chain id, forks and accounts',
      { aliases: ['init'] },
    ),
    import: optionalOption(
      text('FILE'),
      'Execute and verify the blocks of this RLP chain file before the node is ready',
    ),
    gasLimit: option(bigWholeNumber({ minimum: 5000n, valueName: 'GAS' }), 30_000_000n, 'Block gas limit', {
      aliases: ['gasLimit', 'miner.blockGasLimit'],
    }),
    baseFee: optionalOption(
      bigWholeNumber({ valueName: 'WEI' }),
      'Base fee of the genesis block; defaults to 1000000000',
      { aliases: ['block-base-fee-per-gas'] },
    ),
    timestamp: optionalOption(
      bigWholeNumber({ valueName: 'SECONDS' }),
      'Timestamp of the genesis block in Unix seconds; defaults to the current time',
    ),
    number: option(bigWholeNumber({ valueName: 'NUMBER' }), 0n, 'Number of the genesis block'),
    disableDefaultCreate2Deployer: toggle('Omit the CREATE2 proxy from genesis', {
      aliases: ['no-create2', 'disable-default-create2deployer'],
    }),
    deterministic: toggle(
      'Fix the genesis time and advance the clock only with blocks: every run produces the same hashes',
    ),
    txGasLimit: toggle('Reject transactions above 16777216 gas (EIP-7825); always on in strict mode', {
      aliases: ['enable-tx-gas-limit'],
    }),
    codeSizeLimit: optionalOption(
      bigWholeNumber({ minimum: 1n, valueName: 'BYTES' }),
      'Maximum contract code size, instead of 24576; init code may be twice as long',
    ),
    disableCodeSizeLimit: toggle('Allow contract code and init code of any size', {
      aliases: ['chain.allowUnlimitedContractSize'],
    }),
    disableBlockGasLimit: toggle('Let blocks exceed their gas limit'),
    safeDistance: option(
      wholeNumber({ valueName: 'BLOCKS' }),
      0,
      'Distance of the safe block behind the head',
    ),
    finalizedDistance: option(
      wholeNumber({ valueName: 'BLOCKS' }),
      0,
      'Distance of the finalized block behind the head',
    ),
    slotsInAnEpoch: optionalOption(
      wholeNumber({ valueName: 'BLOCKS' }),
      'Place the safe block this far behind the head, and the finalized block twice as far',
    ),
  }),
  ...optionGroup('Mining', {
    disablePoolBalanceChecks: toggle(
      'Accept transactions that their sender cannot pay for; blocks skip them until it can',
    ),
    blockTime: optionalOption(
      decimalNumber({ minimum: 0, valueName: 'SECONDS' }),
      'Mine a block at this interval instead of one for each transaction',
      { aliases: ['b', 'blockTime', 'miner.blockTime'] },
    ),
    noMining: toggle('Mine only on request (evm_mine)', { aliases: ['no-mine'] }),
    maxTransactions: optionalOption(wholeNumber({ minimum: 1 }), 'Maximum number of transactions in a block'),
    order: option(
      choice(['fees', 'fifo']),
      'fees',
      'Order of transactions in a block: by fee, or first come, first served',
    ),
    allowSameTimestamp: toggle('Allow a block to have the timestamp of its parent'),
  }),
  ...optionGroup('Accounts', {
    accounts: optionalOption(
      wholeNumber({ maximum: 100_000 }),
      'Number of accounts to fund at genesis; defaults to 10, or to 20 with --compat hardhat',
      { aliases: ['a', 'wallet.totalAccounts'] },
    ),
    balance: option(
      decimalNumber({ minimum: 0, valueName: 'ETHER' }),
      10_000,
      'Balance of each funded account',
      { aliases: ['e', 'wallet.defaultBalance', 'defaultBalanceEther'] },
    ),
    mnemonic: option(
      text('WORDS'),
      'test test test test test test test test test test test junk',
      'BIP-39 mnemonic that the accounts are derived from',
      { aliases: ['m', 'wallet.mnemonic'] },
    ),
    derivationPath: option(
      text('PATH', /^m(\/\d+'?)*\/?$/, "a path such as m/44'/60'/0'/0/"),
      "m/44'/60'/0'/0/",
      'BIP-32 derivation path of the accounts, without the final index',
      { aliases: ['wallet.hdPath'] },
    ),
  }),
}
