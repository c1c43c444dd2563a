import { codecTable, supportedCodecs } from '../../cid/codecTable.js'
import { hashFunctions } from '../../cid/cidFormat.js'
import { multibases } from '../../cid/multibase.js'
import { defineCommand, single } from '../../request/command.js'

/** A row of a multiformats table. */
interface CodeAndName {
  Code: number
  Name: string
}

function rows(table: Iterable<readonly [name: string, code: number]>): CodeAndName[] {
  return [...table].map(([Name, Code]) => ({ Code, Name }))
}

const tableOptions = {
  numeric: { type: 'bool', aliases: ['n'], description: 'For command lines.' },
  supported: { type: 'bool', aliases: ['s'], description: 'Only what operations can use.' },
} as const

/** `cid/bases` and `multibase/list`: the bases that CIDs are written in. */
export const cidBases = defineCommand({
  description: 'List the bases of CIDs.',
  arguments: [],
  options: {
    prefix: { type: 'bool', description: 'For command lines.' },
    numeric: { type: 'bool', description: 'For command lines.' },
  },
  run: () => single(multibases.map(({ name, code }) => ({ Code: code, Name: name }))),
})

/** `cid/codecs`: the codecs of blocks. */
export const cidCodecs = defineCommand({
  description: 'List the codecs of CIDs.',
  arguments: [],
  options: tableOptions,
  run: ({ options }) =>
    single(rows(codecTable).filter(({ Name }) => !options.supported || supportedCodecs.has(Name))),
})

/** `cid/hashes`: the hash functions that blocks may be named by. */
export const cidHashes = defineCommand({
  description: 'List the hash functions of CIDs.',
  arguments: [],
  options: tableOptions,
  run: () => single(rows(hashFunctions())),
})
