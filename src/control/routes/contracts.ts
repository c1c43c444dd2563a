import * as z from 'zod'
import { bytesToHex, hexToBytes } from '../../encoding/hex.js'
import {
  type ContractArtifact,
  type ContractSource,
  readArtifacts,
  readSources,
} from '../../report/artifacts.js'
import { isSameCode } from '../../report/contracts.js'
import type { ControlSetup } from '../app.js'
import { type ControlRoute, readBody } from '../route.js'

/** Characters of code that is looked for: more than ten times what a chain may have (EIP-170). */
const LONGEST_CODE = 512 * 1024

const identifySchema = z.strictObject({
  /** Runtime code as hexadecimal behind 0x. */
  code: z
    .string()
    .max(LONGEST_CODE, { abort: true })
    .regex(/^0x([0-9a-f]{2})*$/i, 'expected bytes as hexadecimal behind 0x'),
})

/** The compiled contracts of `--artifacts`. */
export function contractRoutes({ artifacts }: ControlSetup): ControlRoute[] {
  let library: Promise<ContractLibrary> | undefined
  const load = (): Promise<ContractLibrary> => (library ??= readContractLibrary(artifacts))
  return [
    {
      method: 'get',
      path: '/contracts',
      summary: 'The compiled contracts of --artifacts',
      answer: 'Id, name, and ABI of each, and whether its code and its source are known',
      handle: async (context) => context.json((await load()).list()),
    },
    {
      method: 'post',
      path: '/contracts/identify',
      summary: 'The compiled contract that runtime code is of; immutables in it may have any value',
      body: identifySchema,
      answer: 'Its id and name, or null',
      handle: async (context) => {
        const { code } = await readBody(context, identifySchema)
        return context.json((await load()).identify(hexToBytes(code)) ?? null)
      },
    },
    {
      method: 'get',
      path: '/contracts/:id/source',
      summary: 'Source texts of a compiled contract, and its source map in the form of solc',
      answer: 'Runtime code, source map and source texts by their index in the map, or 404',
      handle: async (context) => {
        const source = (await load()).source(Number(context.req.param('id')))
        return source === undefined
          ? context.json({ error: 'there is no source of such a contract' }, 404)
          : context.json(source)
      },
    },
  ]
}

/** A compiled contract as the control API lists it. */
export interface ListedContract {
  id: number
  name: string
  abi: ContractArtifact['abi']
  hasCode: boolean
  hasSource: boolean
}

/** The compiled contracts of a folder, with their sources as far as they are there. */
export interface ContractLibrary {
  list(): ListedContract[]
  /** The contract that runtime code is of. */
  identify(code: Uint8Array): { id: number; name: string } | undefined
  /** What leads from instructions to source lines. */
  source(id: number): ({ code: string } & Omit<ContractSource, 'code'>) | undefined
}

/**
 * Reads the contracts of a folder; none if there is no folder. A contract that lies in an artifact and in a build of its
 * compiler is there once.
 *
 * @throws Error if the folder cannot be read
 */
export async function readContractLibrary(directory: string | undefined): Promise<ContractLibrary> {
  const sources = directory === undefined ? [] : await readSources(directory)
  const read = directory === undefined ? [] : await readArtifacts(directory)
  const artifacts = [
    ...read,
    ...sources.filter(({ code }) => !read.some((other) => sameCode(other.code, code))),
  ]
  const sourceOf = (code: Uint8Array): ContractSource | undefined =>
    code.length === 0 ? undefined : sources.find((source) => sameCode(source.code, code))
  return {
    list: () =>
      artifacts.map(({ name, abi, code }, id) => ({
        id,
        name,
        abi,
        hasCode: code.length > 0,
        hasSource: sourceOf(code) !== undefined,
      })),
    identify: (code) => {
      const id = artifacts.findIndex(
        (artifact) => artifact.code.length > 0 && isSameCode(artifact.code, code),
      )
      const artifact = artifacts[id]
      return artifact && { id, name: artifact.name }
    },
    source: (id) => {
      const source = sourceOf(artifacts[id]?.code ?? new Uint8Array(0))
      return source && { ...source, code: bytesToHex(source.code) }
    },
  }
}

function sameCode(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0
}
