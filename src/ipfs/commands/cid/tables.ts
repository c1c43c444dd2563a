import { linesOfText } from '../../request/textForm.js'
import { blockCodecs, multicodecs, supportedCodecs } from '../../cid/codecTable.js'
import { hashFunctions } from '../../cid/cidFormat.js'
import { multibases } from '../../cid/multibase.js'
import { type TextInput, defineCommand, single } from '../../request/command.js'

/** A row of a multiformats table. */
interface CodeAndName {
  Code: number
  Name: string
}

function rows(table: Iterable<readonly [name: string, code: number]>): CodeAndName[] {
  return [...table].map(([Name, Code]) => ({ Code, Name }))
}

const tableOptions = {
  numeric: { type: 'bool', aliases: ['n'], description: 'Text output only.' },
  supported: { type: 'bool', aliases: ['s'], description: 'Only those that operations support.' },
} as const

/** `cid/bases` and `multibase/list`: list the multibases. */
export const cidBases = defineCommand({
  description: 'List multibase encodings.',
  arguments: [],
  options: {
    prefix: { type: 'bool', description: 'Text output only.' },
    numeric: { type: 'bool', description: 'Text output only.' },
  },
  text(rows: CodeAndName[], { options: { prefix, numeric } }) {
    const sorted = [...rows].sort((a, b) => placeOf(a) - placeOf(b) || b.Code - a.Code)
    const lines = sorted.map(({ Code, Name }) => {
      const shown = prefix ? [Code > 0x20 && Code !== 0x7f ? String.fromCodePoint(Code) : ' '] : []
      const number = numeric ? [String(Code).padStart(7)] : []
      return [[...shown, ...number].join(' '), Name].filter((part) => part !== '').join('  ')
    })
    return linesOfText(lines)
  },
  run: () => single(multibases.map(({ name, code }) => ({ Code: code, Name: name }))),
})

/** Sorts lowercase letters before their capitals (Kubo, `multibaseSorter`). */
function placeOf({ Code }: CodeAndName): number {
  return String.fromCodePoint(Code).toLowerCase().codePointAt(0) ?? 0
}

function textOfCodes(
  rows: CodeAndName[],
  { options: { numeric } }: TextInput<typeof tableOptions>,
): Iterable<string> {
  const sorted = [...rows].sort((a, b) => a.Code - b.Code)
  return linesOfText(
    sorted.map(({ Code, Name }) => (numeric ? `${String(Code).padStart(5)}  ${Name}` : Name)),
  )
}

/** `cid/codecs`: lists the codecs of blocks. */
export const cidCodecs = defineCommand({
  description: 'List CID codecs.',
  arguments: [],
  options: tableOptions,
  text: textOfCodes,
  run: ({ options }) =>
    single(
      rows(multicodecs).filter(({ Name }) => (options.supported ? supportedCodecs : blockCodecs).has(Name)),
    ),
})

/** `cid/hashes`: lists the hash functions of CIDs. */
export const cidHashes = defineCommand({
  description: 'List CID hash functions.',
  arguments: [],
  options: tableOptions,
  text: textOfCodes,
  run: () => single(rows(hashFunctions())),
})
