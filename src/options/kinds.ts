import { TIMEOUT_MAX } from '../encoding/timeSlice.js'

/** Type of an option: the values it takes, and how it is read from the command line or an environment variable. */
export interface OptionKind<Output, Input = Output> {
  /** Checks a value given by a program or a configuration file; returns undefined for an invalid one. */
  check: (value: unknown) => Output | undefined
  /** Type marker for what programs may pass; never set. */
  given?: Input
  /** Converts text to a value for `check`. */
  fromText: (text: string) => unknown
  /** Description of valid values for error messages: "a whole number from 0 to 65535". */
  expected: string
  /** Name of the value in the help; absent for a switch. */
  valueName?: string
  /** Value of the flag when it has none; absent if it requires one. */
  bare?: string
  /** Whether the flag may be repeated; an environment variable separates values by commas. */
  repeatable?: boolean
}

/** Longest timer delay in seconds. */
export const MAX_WAIT_SECONDS = Math.floor(TIMEOUT_MAX / 1000)

const switchValues = new Map([
  ['true', true],
  ['1', true],
  ['', true],
  ['false', false],
  ['0', false],
])

/** On or off. A flag without a value is on; `--flag false`, as devnet launchers write it, is off. */
const switchKind: OptionKind<boolean> = {
  check: (value) => (typeof value === 'boolean' ? value : undefined),
  fromText: (text) => switchValues.get(text) ?? text,
  expected: 'true or false',
}

/** Whole number within JavaScript's safe range. */
export function wholeNumber(range: { minimum?: number; maximum?: number; valueName?: string } = {}) {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER, valueName = 'N' } = range
  const upTo = maximum === Number.MAX_SAFE_INTEGER ? `, ${minimum} or more` : ` from ${minimum} to ${maximum}`
  const kind: OptionKind<number> = {
    check: (value) => (isWholeNumber(value) && value >= minimum && value <= maximum ? value : undefined),
    fromText: (text) => (/^\d+$/.test(text) ? Number(text) : text),
    expected: `a whole number${upTo}`,
    valueName,
  }
  return kind
}

/** Decimal number. */
export function decimalNumber(range: { minimum: number; valueName: string }): OptionKind<number> {
  return {
    check: (value) =>
      typeof value === 'number' && Number.isFinite(value) && value >= range.minimum ? value : undefined,
    fromText: (text) => (/^\d*\.?\d+$/.test(text) ? Number(text) : text),
    expected: `a number, ${range.minimum} or more`,
    valueName: range.valueName,
  }
}

/** Whole number of any size, decimal or hexadecimal with a 0x prefix. */
export function bigWholeNumber(range: { minimum?: bigint; valueName?: string } = {}) {
  const { minimum = 0n, valueName = 'N' } = range
  const kind: OptionKind<bigint, bigint | number | string> = {
    check: (value) => {
      const isText = typeof value === 'string' && /^(0x[0-9a-f]+|\d+)$/i.test(value)
      if (!isText && typeof value !== 'bigint' && !isWholeNumber(value)) return undefined
      const number = BigInt(value)
      return number >= minimum ? number : undefined
    },
    fromText: (text) => text,
    expected: `a whole number, ${minimum} or more, decimal or 0x-prefixed hexadecimal`,
    valueName,
  }
  return kind
}

/** One of a fixed set of words. */
export function choice<const Word extends string>(words: readonly Word[]): OptionKind<Word> {
  return {
    check: (value) => words.find((word) => word === value),
    fromText: (text) => text,
    expected: words.length === 2 ? `${words[0]} or ${words[1]}` : `one of ${words.join(', ')}`,
    valueName: words.join('|'),
  }
}

/** Accepts a word in any case, and with dashes, underscores or spaces in it. */
export function anyCase<Word extends string>(kind: OptionKind<Word>): OptionKind<Word> {
  return { ...kind, fromText: (given) => kind.fromText(given.toLowerCase().replaceAll(/[-_ ]/g, '')) }
}

/** Text that is not empty. */
export function text(valueName: string, pattern = /./s, expected = 'text'): OptionKind<string> {
  return {
    check: (value) => (typeof value === 'string' && pattern.test(value) ? value : undefined),
    fromText: (value) => value,
    expected,
    valueName,
  }
}

const colourValues = new Map<unknown, 'auto' | 'always' | 'never'>([
  ['auto', 'auto'],
  ['always', 'always'],
  [true, 'always'],
  ['never', 'never'],
  [false, 'never'],
])

/** When to print in colour, in anvil's terms; a switch means always or never. */
export function colourChoice(): OptionKind<
  'auto' | 'always' | 'never',
  'auto' | 'always' | 'never' | boolean
> {
  return {
    check: (value) => colourValues.get(value),
    fromText: (text) => switchValues.get(text) ?? text,
    expected: 'auto, always or never',
    valueName: 'WHEN',
    bare: 'always',
  }
}

/** Number of words in a BIP-39 phrase. */
export function wordCount(): OptionKind<number> {
  return {
    check: (value) => [12, 15, 18, 21, 24].find((count) => count === value),
    fromText: (text) => (/^\d+$/.test(text) ? Number(text) : text),
    expected: '12, 15, 18, 21 or 24',
    valueName: 'WORDS',
  }
}

/** Makes the value of a flag optional; without it, the flag means `bare`. */
export function withBareValue<Output, Input>(
  kind: OptionKind<Output, Input>,
  bare: string,
): OptionKind<Output, Input> {
  return { ...kind, bare }
}

/** Path of a JSON file; a program may pass the content itself. */
export function fileOrContent<Content extends object>(): OptionKind<string | Content> {
  return {
    check: (value) => {
      if (typeof value === 'string') return value === '' ? undefined : value
      return typeof value === 'object' && value !== null ? (value as Content) : undefined
    },
    fromText: (value) => value,
    expected: 'the path of a JSON file',
    valueName: 'FILE',
  }
}

/** Any number of values of one kind. */
export function list<Output, Input>(kind: OptionKind<Output, Input>): OptionKind<Output[], Input[]> {
  const { check, fromText, expected, valueName } = kind
  return {
    check: (value) => {
      if (!Array.isArray(value)) return undefined
      const items = value.map(check)
      return items.every((item) => item !== undefined) ? items : undefined
    },
    fromText: (value) => value.split(',').map((item) => fromText(item.trim())),
    expected: `a list, each ${expected}`,
    ...(valueName !== undefined && { valueName }),
    repeatable: true,
  }
}

function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

/** Headings of the help, in order. */
export const optionGroups = [
  'Addresses',
  'Chain',
  'Fork',
  'Mining',
  'Accounts',
  'Answers and limits',
  'Provider',
  'Cassettes',
  'File network',
  'Data',
  'Output',
  'Accepted and ignored',
] as const

/** Definition of one option, for flag, environment variable, configuration file and program alike. */
export interface OptionDefinition<Output, Input = Output> extends OptionDetails {
  /** Long flag without dashes. The property is its camel case, the environment variable its upper case. */
  flag: string
  kind: OptionKind<NonNullable<Output>, Input>
  /** Value if none is given; undefined if absence has a meaning of its own. */
  default: Output
  description: string
  group: (typeof optionGroups)[number]
}

/** Details that few options need. */
export interface OptionDetails {
  /** Alternative flags; a single letter is a short flag. */
  aliases?: readonly string[]
  /** Whether values hold keys or secrets, which no error message may repeat. */
  holdsSecrets?: boolean
}

type Ungrouped<Output, Input> = Omit<OptionDefinition<Output, Input>, 'flag' | 'group'>

/** Defines an option with a default. */
export function option<Output, Input>(
  kind: OptionKind<Output, Input>,
  defaultValue: NoInfer<Output>,
  description: string,
  details: OptionDetails = {},
): Ungrouped<Output, Input> {
  return {
    kind: kind as OptionKind<NonNullable<Output>, Input>,
    default: defaultValue,
    description,
    ...details,
  }
}

/** Defines an option whose absence has a meaning of its own. */
export function optionalOption<Output, Input>(
  kind: OptionKind<Output, Input>,
  description: string,
  details: OptionDetails = {},
): Ungrouped<Output | undefined, Input> {
  return { kind: kind as OptionKind<NonNullable<Output>, Input>, default: undefined, description, ...details }
}

/** Defines a switch that is off by default. */
export function toggle(description: string, details?: OptionDetails) {
  return option(switchKind, false, description, details)
}

type Grouped<Options> = {
  [Name in keyof Options]: Options[Name] & Pick<OptionDefinition<unknown>, 'flag' | 'group'>
}

/** Groups options by property under a help heading. Each flag is the property in lower case with dashes. */
export function optionGroup<Options extends Readonly<Record<string, object>>>(
  group: (typeof optionGroups)[number],
  options: Options,
): Grouped<Options> {
  const grouped = Object.entries(options).map(([name, details]) => {
    const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return [name, { ...details, flag, group }]
  })
  return Object.fromEntries(grouped) as Grouped<Options>
}

/** Converts `chain-id` to `STANDIN_CHAIN_ID`. */
export function flagToVariable(flag: string): string {
  return `STANDIN_${flag.replaceAll('-', '_').toUpperCase()}`
}

/** An option is unknown, lacks its value or has an invalid one. The message is one line for the user. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
}
