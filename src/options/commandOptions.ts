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
    config: optionalOption(text('FILE'), 'JSON file of options by their camel-case names'),
    quiet: toggle('Print nothing but warnings and errors', { aliases: ['q', 'silent', 'logging.quiet'] }),
    json: toggle('Print one line of JSON when ready and nothing else'),
    configOut: optionalOption(
      text('FILE'),
      'Write accounts, keys and genesis into this file as JSON when ready',
    ),
    color: option(
      colourChoice(),
      'auto',
      'Print traces in colour: auto is where the output is a terminal; always or never',
    ),
    parentPid: optionalOption(
      wholeNumber({ minimum: 1, valueName: 'PID' }),
      'Stop when the process of this id is gone',
    ),
    help: toggle('Print this help', { aliases: ['h'] }),
    version: toggle('Print the version', { aliases: ['V'] }),
  }),
  ...optionGroup('Accounts', {
    mnemonicRandom: optionalOption(
      withBareValue(wordCount(), '12'),
      'Derive the accounts from a new phrase of 12, 15, 18, 21 or 24 words, which is printed',
    ),
    mnemonicSeedUnsafe: optionalOption(
      bigWholeNumber({ valueName: 'SEED' }),
      "Derive the accounts from the phrase that this number stands for, the same as anvil's; anybody can",
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
  threads: ignoredValue('There are no worker threads to count', ['j', 'jobs']),
  maxPersistedStates: ignoredValue('Every state stays on disk'),
  transactionBlockKeeper: ignoredValue('Every block stays on disk'),
  memoryLimit: ignoredValue('Memory of the virtual machine is bounded by gas'),
  pruneHistory: optionalOption(
    withBareValue(text('STATES', /^/), ''),
    'History lies on disk and needs no memory',
  ),
  preserveHistoricalStates: toggle('Dumps hold the newest state alone'),
  stepsTracing: toggle('debug_traceTransaction always has steps', { aliases: ['tracing'] }),
  noRequestSizeLimit: toggle('See --max-control-body'),
  disableMinPriorityFee: toggle('No tip is demanded', { aliases: ['no-priority-fee'] }),
  computeUnitsPerSecond: ignoredValue('The remote says itself when it is too much'),
  noRateLimit: toggle('The remote says itself when it is too much', { aliases: ['no-rpc-rate-limit'] }),
  gasPrice: ignoredValue('Since London the base fee and the tip make the price', ['gasPrice']),
  forkChainId: ignoredValue('The remote is asked for it; --chain-id sets another one'),
  md: toggle('The banner is plain text, or JSON with --json'),
  noCors: toggle('See --allow-origin'),
  verbosity: toggle('See --trace', { aliases: ['v'] }),
})
