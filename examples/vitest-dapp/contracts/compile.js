import { readFileSync } from 'node:fs'
import solc from 'solc'

/** Compiles a contract in this directory. */
export function compile(name) {
  const content = readFileSync(new URL(`${name}.sol`, import.meta.url), 'utf8')
  const input = {
    language: 'Solidity',
    sources: { [name]: { content } },
    settings: { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  }
  const { contracts, errors = [] } = JSON.parse(solc.compile(JSON.stringify(input)))
  const failure = errors.find(({ severity }) => severity === 'error')
  if (failure) throw new Error(failure.formattedMessage)
  const { abi, evm } = contracts[name][name]
  return { abi, bytecode: `0x${evm.bytecode.object}` }
}
