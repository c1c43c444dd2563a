import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type ContractArtifact, artifactsIn, members, readJson } from './artifacts.js'

/** A compiled contract with the mapping from its instructions to source lines. */
export interface ContractSource extends ContractArtifact {
  /** Path of the declaring source file, as given to the compiler. */
  path: string
  /** In solc's format (Solidity documentation, "Source Mappings"): one entry per instruction. */
  sourceMap: string
  /** Source files that the map refers to. */
  files: readonly { index: number; path: string; text: string }[]
}

/**
 * Reads the contracts with source texts in a directory tree: builds of hardhat and foundry, and files with `input` and
 * `output` of solc's standard JSON. Other files are skipped.
 *
 * @throws Error if the directory cannot be read
 */
export async function readSources(directory: string): Promise<ContractSource[]> {
  const found: ContractSource[] = []
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git') {
      found.push(...(await readSources(path)))
    } else if (entry.isFile() && /(?<!\.(dbg|output))\.json$/.test(entry.name)) {
      found.push(...sourcesIn(await readBuild(path)))
    }
  }
  return found
}

/** Reads a build; Hardhat 3 keeps its input and output in two adjacent files. */
async function readBuild(path: string): Promise<Record<string, unknown>> {
  const build = members(await readJson(path))
  if (build['input'] === undefined || build['output'] !== undefined) return build
  const { output } = members(await readJson(path.replace(/\.json$/, '.output.json')))
  return { ...build, output }
}

function sourcesIn({ input, output }: Record<string, unknown>): ContractSource[] {
  const texts = members(members(input)['sources'])
  const { contracts, sources } = members(output)
  const files = Object.entries(members(sources)).flatMap(([path, source]) => {
    const { id } = members(source)
    const { content } = members(texts[path])
    return typeof id === 'number' && typeof content === 'string' ? [{ index: id, path, text: content }] : []
  })
  if (files.length === 0) return []
  return Object.entries(members(contracts)).flatMap(([path, inFile]) =>
    Object.entries(members(inFile)).flatMap(([name, contract]) => {
      const { sourceMap } = members(members(members(contract)['evm'])['deployedBytecode'])
      const [artifact] = artifactsIn({ contracts: { [path]: { [name]: contract } } }, name)
      if (typeof sourceMap !== 'string' || artifact === undefined || artifact.code.length === 0) return []
      return [{ ...artifact, path, sourceMap, files }]
    }),
  )
}
