import {
  bigWholeNumber,
  colourChoice,
  option,
  optionalOption,
  text,
  toggle,
  wholeNumber,
  withBareValue,
  wordCount,
} from './kinds.js'

/** What only the command line knows. */
export const commandOptions = {
  config: optionalOption({
    flag: 'config',
    kind: text('FILE'),
    description: 'JSON file of options by their camel-case names',
    group: 'Output',
  }),
  quiet: option({
    flag: 'quiet',
    aliases: ['q', 'silent', 'logging.quiet'],
    kind: toggle(),
    default: false,
    description: 'Print nothing but warnings and errors',
    group: 'Output',
  }),
  json: option({
    flag: 'json',
    kind: toggle(),
    default: false,
    description: 'Print one line of JSON when ready and nothing else',
    group: 'Output',
  }),
  configOut: optionalOption({
    flag: 'config-out',
    kind: text('FILE'),
    description: 'Write accounts, keys and genesis into this file as JSON when ready',
    group: 'Output',
  }),
  mnemonicRandom: optionalOption({
    flag: 'mnemonic-random',
    kind: withBareValue(wordCount(), '12'),
    description: 'Derive the accounts from a new phrase of 12, 15, 18, 21 or 24 words, which is printed',
    group: 'Accounts',
  }),
  mnemonicSeedUnsafe: optionalOption({
    flag: 'mnemonic-seed-unsafe',
    aliases: ['mnemonic-seed'],
    kind: bigWholeNumber({ valueName: 'SEED' }),
    description:
      "Derive the accounts from the phrase that this number stands for, the same as anvil's; anybody can",
    group: 'Accounts',
  }),
  color: option({
    flag: 'color',
    kind: colourChoice(),
    default: 'auto',
    description: 'Print traces in colour: auto is where the output is a terminal; always or never',
    group: 'Output',
  }),
  parentPid: optionalOption({
    flag: 'parent-pid',
    kind: wholeNumber({ minimum: 1, valueName: 'PID' }),
    description: 'Stop when the process of this id is gone',
    group: 'Output',
  }),
  help: option({
    flag: 'help',
    aliases: ['h'],
    kind: toggle(),
    default: false,
    description: 'Print this help',
    group: 'Output',
  }),
  version: option({
    flag: 'version',
    aliases: ['V'],
    kind: toggle(),
    default: false,
    description: 'Print the version',
    group: 'Output',
  }),
}
