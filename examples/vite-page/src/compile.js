import { readFileSync } from 'node:fs'
import solc from 'solc'

/** Compiles the page's contract. */
export function compile() {
  const content = readFileSync(new URL('Picture.sol', import.meta.url), 'utf8')
  const input = {
    language: 'Solidity',
    sources: { Picture: { content } },
    settings: { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  }
  const { abi, evm } = JSON.parse(solc.compile(JSON.stringify(input))).contracts.Picture.Picture
  return { abi, bytecode: `0x${evm.bytecode.object}` }
}
