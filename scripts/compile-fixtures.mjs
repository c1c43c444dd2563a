import { readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const contracts = join(root, 'fixtures/contracts')
const require = createRequire(import.meta.url)

/** Default hard fork of the project's chains. */
const evmVersion = 'osaka'

/**
 * Compiles fixtures/contracts/*.sol.
 *
 * @returns {Promise<Map<string, string>>} artifact texts by file name
 */
export async function compileFixtures() {
  const solc = require('solc')
  const names = (await readdir(contracts)).filter((name) => name.endsWith('.sol')).sort()
  const sources = {}
  for (const name of names) sources[name] = { content: await readFile(join(contracts, name), 'utf8') }
  const input = {
    language: 'Solidity',
    sources,
    settings: {
      evmVersion,
      optimizer: { enabled: true, runs: 200 },
      // Without the metadata hash the bytecode depends on the code alone, not on comments or paths.
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const output = JSON.parse(
    solc.compile(JSON.stringify(input), {
      import: (path) => ({ contents: readFileSync(require.resolve(path), 'utf8') }),
    }),
  )
  const problems = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  if (problems.length > 0) throw new Error(problems.map((problem) => problem.formattedMessage).join('\n'))

  const artifacts = new Map()
  for (const source of names) {
    for (const [contractName, { abi, evm }] of Object.entries(output.contracts[source])) {
      const artifact = {
        contractName,
        source,
        compiler: solc.version(),
        evmVersion,
        abi,
        bytecode: `0x${evm.bytecode.object}`,
        deployedBytecode: `0x${evm.deployedBytecode.object}`,
      }
      artifacts.set(`${contractName}.json`, `${JSON.stringify(artifact, null, 2)}\n`)
    }
  }
  return artifacts
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const artifacts = join(contracts, 'artifacts')
  await mkdir(artifacts, { recursive: true })
  for (const [name, text] of await compileFixtures()) await writeFile(join(artifacts, name), text)
}
