import {
  bigWholeNumber,
  colourChoice,
  option,
  optionGroup,
  optionalOption,
  text,
  toggle,
  wholeNumber,
  withBareValue,
  wordCount,
} from './kinds.js'

/** Options of the command line only. */
export const commandOptions = {
  ...optionGroup('Output', {
    config: optionalOption(text('FILE'), 'JSON file of options, by their camel-case names'),
    quiet: toggle('Print only warnings and errors', { aliases: ['q', 'silent', 'logging.quiet'] }),
    json: toggle('Print one line of JSON when ready, and nothing else'),
    configOut: optionalOption(
      text('FILE'),
      'Write accounts, keys and genesis to this file as JSON when ready',
    ),
    color: option(
      colourChoice(),
      'auto',
      'Print traces in colour: always, never, or only to a terminal (auto)',
    ),
    parentPid: optionalOption(
      wholeNumber({ minimum: 1, valueName: 'PID' }),
      'Stop when the process with this id exits',
    ),
    help: toggle('Print this help', { aliases: ['h'] }),
    version: toggle('Print the version', { aliases: ['V'] }),
  }),
  ...optionGroup('Accounts', {
    mnemonicRandom: optionalOption(
      withBareValue(wordCount(), '12'),
      'Derive the accounts from a new mnemonic of 12, 15, 18, 21 or 24 words, and print it',
    ),
    mnemonicSeedUnsafe: optionalOption(
      bigWholeNumber({ valueName: 'SEED' }),
      'Derive the accounts from the mnemonic that anvil generates for this number, as anybody else can',
      { aliases: ['mnemonic-seed'] },
    ),
  }),
}

/** Defines an anvil flag with a value that is accepted for compatibility and has no effect. */
function ignoredValue(description: string, aliases: readonly string[] = []) {
  return optionalOption(text('VALUE', /^/), description, { aliases })
}

/** anvil's flags without effect here: they tune what works differently, or is on by default. */
export const ignoredOptions = optionGroup('Accepted and ignored', {
  threads: ignoredValue('The number of threads is fixed', ['j', 'jobs']),
  maxPersistedStates: ignoredValue('Every state stays on disk'),
  transactionBlockKeeper: ignoredValue('Every block stays on disk'),
  memoryLimit: ignoredValue('Gas bounds the memory of the EVM'),
  pruneHistory: optionalOption(
    withBareValue(text('STATES', /^/), ''),
    'History is kept on disk, not in memory',
  ),
  preserveHistoricalStates: toggle('Dumps contain only the latest state'),
  stepsTracing: toggle('debug_traceTransaction always includes steps', { aliases: ['tracing'] }),
  noRequestSizeLimit: toggle('See --max-control-body'),
  disableMinPriorityFee: toggle('No minimum tip is required', { aliases: ['no-priority-fee'] }),
  computeUnitsPerSecond: ignoredValue('The remote enforces its own rate limit'),
  noRateLimit: toggle('The remote enforces its own rate limit', { aliases: ['no-rpc-rate-limit'] }),
  gasPrice: ignoredValue('Since London, base fee and tip determine the price', ['gasPrice']),
  forkChainId: ignoredValue('The chain id comes from the remote; --chain-id overrides it'),
  md: toggle('The banner is plain text, or JSON with --json'),
  noCors: toggle('See --allow-origin'),
  verbosity: toggle('See --trace', { aliases: ['v'] }),
})
