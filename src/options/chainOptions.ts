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
export const hardforkNames = [
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
    chainId: option(
      bigWholeNumber({ minimum: 1n, valueName: 'ID' }),
      31337n,
      'Chain id, also the network id',
      { aliases: ['chainId', 'chain.chainId'] },
    ),
    hardfork: option(
      anyCase(choice([...hardforkNames, ...furtherHardforkNames])),
      'osaka',
      'Rules of the chain; latest is osaka',
      { aliases: ['k', 'chain.hardfork'] },
    ),
    genesis: optionalOption(
      text('FILE'),
      'Begin with the genesis.json of geth in this file: its chain id, forks and accounts',
      { aliases: ['init'] },
    ),
    import: optionalOption(
      text('FILE'),
      'Execute and check the blocks of this RLP chain file before the node is ready',
    ),
    gasLimit: option(
      bigWholeNumber({ minimum: 5000n, valueName: 'GAS' }),
      30_000_000n,
      'Gas limit of a block',
      { aliases: ['gasLimit', 'miner.blockGasLimit'] },
    ),
    baseFee: optionalOption(
      bigWholeNumber({ valueName: 'WEI' }),
      'Base fee of the genesis block; 1000000000 unless given',
      { aliases: ['block-base-fee-per-gas'] },
    ),
    timestamp: optionalOption(
      bigWholeNumber({ valueName: 'SECONDS' }),
      'Time of the genesis block in seconds since 1970; the time of the start unless given',
    ),
    number: option(bigWholeNumber({ valueName: 'NUMBER' }), 0n, 'Number of the genesis block'),
    disableDefaultCreate2Deployer: toggle('Leave the CREATE2 proxy out of the genesis', {
      aliases: ['no-create2', 'disable-default-create2deployer'],
    }),
    deterministic: toggle(
      'Fixed genesis time and a clock that only blocks move: the same hashes in every run',
    ),
    txGasLimit: toggle('Refuse transactions over 16777216 gas (EIP-7825); always on in strict mode', {
      aliases: ['enable-tx-gas-limit'],
    }),
    codeSizeLimit: optionalOption(
      bigWholeNumber({ minimum: 1n, valueName: 'BYTES' }),
      "Most bytes of a contract's code instead of 24576; creation code may have twice as many",
    ),
    disableCodeSizeLimit: toggle('Contracts and creation code of any size', {
      aliases: ['chain.allowUnlimitedContractSize'],
    }),
    disableBlockGasLimit: toggle('Blocks take transactions beyond their gas limit'),
    safeDistance: option(
      wholeNumber({ valueName: 'BLOCKS' }),
      0,
      'How far behind the head the safe block is',
    ),
    finalizedDistance: option(
      wholeNumber({ valueName: 'BLOCKS' }),
      0,
      'How far behind the head the finalized block is',
    ),
    slotsInAnEpoch: optionalOption(
      wholeNumber({ valueName: 'BLOCKS' }),
      'Puts the safe block so far behind the head, and the finalized one twice as far',
    ),
  }),
  ...optionGroup('Mining', {
    disablePoolBalanceChecks: toggle(
      'Let transactions wait that their sender cannot pay for; blocks pass over them until that has changed',
    ),
    blockTime: optionalOption(
      decimalNumber({ minimum: 0, valueName: 'SECONDS' }),
      'Mine a block every so many seconds instead of one for each transaction',
      { aliases: ['b', 'blockTime', 'miner.blockTime'] },
    ),
    noMining: toggle('Mine only when asked to (evm_mine)', { aliases: ['no-mine'] }),
    maxTransactions: optionalOption(wholeNumber({ minimum: 1 }), 'Most transactions of one block'),
    order: option(
      choice(['fees', 'fifo']),
      'fees',
      'Order of transactions in a block: by what they pay, or as they came',
    ),
    allowSameTimestamp: toggle('A block may have the timestamp of its parent'),
  }),
  ...optionGroup('Accounts', {
    accounts: optionalOption(
      wholeNumber({ maximum: 100_000 }),
      'How many accounts are funded at genesis; 10 unless given, 20 with --compat hardhat',
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
      'BIP-39 phrase that the accounts are derived from',
      { aliases: ['m', 'wallet.mnemonic'] },
    ),
    derivationPath: option(
      text('PATH', /^m(\/\d+'?)*\/?$/, "a path such as m/44'/60'/0'/0/"),
      "m/44'/60'/0'/0/",
      'BIP-32 path of the accounts, without the index at its end',
      { aliases: ['wallet.hdPath'] },
    ),
  }),
}
