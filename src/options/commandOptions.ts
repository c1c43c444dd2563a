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

/** What only the command line knows. */
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
