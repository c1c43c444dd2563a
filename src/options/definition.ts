import type { OptionKind } from './kinds.js'

/** The headings of the help, in its order. */
export const optionGroups = [
  'Addresses',
  'Chain',
  'Fork',
  'Mining',
  'Accounts',
  'Answers and limits',
  'Provider',
  'File network',
  'Data',
  'Output',
  'Accepted and ignored',
] as const

/** One option: the flag, the environment variable, the configuration file's and the program's property alike. */
export interface OptionDefinition<Output, Input = Output> {
  /** The long flag without its dashes; the property is its camel case, the variable its upper case. */
  flag: string
  /** Other flags that mean the same; one letter is a short flag. */
  aliases?: readonly string[]
  kind: OptionKind<NonNullable<Output>, Input>
  /** The value where none is given; undefined where the absence itself means something. */
  default: Output
  description: string
  /** Whether values hold keys or secrets, which no refusal may repeat. */
  holdsSecrets?: boolean
  group: (typeof optionGroups)[number]
}

type Given<Output, Input> = Omit<OptionDefinition<Output, Input>, 'default' | 'kind'> & {
  kind: OptionKind<Output, Input>
}

/** An option with a default. */
export function option<Output, Input>(definition: Given<Output, Input> & { default: NoInfer<Output> }) {
  const complete: OptionDefinition<Output, Input> = {
    ...definition,
    kind: definition.kind as OptionKind<NonNullable<Output>, Input>,
  }
  return complete
}

/** An option whose absence means something of its own. */
export function optionalOption<Output, Input>(definition: Given<Output, Input>) {
  const complete: OptionDefinition<Output | undefined, Input> = {
    ...definition,
    kind: definition.kind as OptionKind<NonNullable<Output>, Input>,
    default: undefined,
  }
  return complete
}

/** `chain-id` as `STANDIN_CHAIN_ID`. */
export function flagToVariable(flag: string): string {
  return `STANDIN_${flag.replaceAll('-', '_').toUpperCase()}`
}
