import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeErrorResult, encodeEventTopics, encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hexToBytes } from '../encoding/hex.js'
import { readArtifacts } from './artifacts.js'
import { Contracts } from './contracts.js'

const signatures = [
  'error Nope(address who, uint256 amount)',
  'event Moved(address indexed who, string indexed label, uint256[] amounts)',
  'function move(address who, uint256[] amounts) returns (bool, string)',
] as const
const abi = parseAbi(signatures)
const who = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

let directory: string

function write(path: string, content: unknown): void {
  mkdirSync(join(directory, path, '..'), { recursive: true })
  writeFileSync(join(directory, path), typeof content === 'string' ? content : JSON.stringify(content))
}

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'standin-artifacts-'))
  write('hardhat/A.sol/A.json', { contractName: 'A', abi, deployedBytecode: '0x60aa' })
  write('hardhat/A.sol/A.dbg.json', { abi: 'no' })
  write('foundry/B.sol/B.json', { abi, deployedBytecode: { object: '0x60bb00' } })
  write('solc.json', {
    contracts: { 'C.sol': { C: { abi, evm: { deployedBytecode: { object: '60cc' } } } } },
  })
  write('combined.json', { contracts: { 'D.sol:D': { abi: JSON.stringify(abi), 'bin-runtime': '60dd' } } })
  write('unlinked.json', { contractName: 'E', abi: [], deployedBytecode: '0x73__$aa$__' })
  write('broken.json', '{')
  write('cache/F.json', { contractName: 'F', abi })
})

afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe('artifacts', () => {
  test('are found in the formats of hardhat, foundry and solc', async () => {
    const found = await readArtifacts(directory)
    expect(found.map(({ name }) => name).sort()).toEqual(['A', 'B', 'C', 'D', 'E'])
    expect(found.filter(({ name }) => name !== 'E').every(({ abi: entries }) => entries.length === 3)).toBe(
      true,
    )
  })

  test('name errors, functions, events and contracts', async () => {
    const contracts = await Contracts.of(await readArtifacts(directory))
    const error = encodeErrorResult({ abi, errorName: 'Nope', args: [who, 5n] })
    expect(contracts.describeError(hexToBytes(error))).toBe(`Nope(${who}, 5)`)
    const call = encodeFunctionData({ abi, functionName: 'move', args: [who, [1n, 2n]] })
    expect(contracts.describeCall(hexToBytes(call))).toBe(`move(${who}, [1, 2])`)
    const topics = encodeEventTopics({ abi, eventName: 'Moved', args: { who, label: 'x' } })
    const amounts = `${'20'.padStart(64, '0')}${'1'.padStart(64, '0')}${'9'.padStart(64, '0')}`
    expect(
      contracts.describeEvent(
        topics.map((topic) => hexToBytes(topic as string)),
        hexToBytes(amounts),
      ),
    ).toBe(`Moved(${who}, ${String(topics[2])}, [9])`)
    expect(contracts.nameOf(hexToBytes('60cc'))).toBe('C')
    expect(contracts.nameOf(hexToBytes('60bb07'))).toBe('B')
    expect(contracts.nameOf(hexToBytes('6011'))).toBeUndefined()
    expect(contracts.describeError(hexToBytes('deadbeef'))).toBeUndefined()
  })
})
