import { createEVM } from '@ethereumjs/evm'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { expect, it } from 'vitest'
import { opcodeNames } from './opcodeNames.js'

/** Opcodes with different names in ethereumjs and geth. */
const differences: Readonly<Record<string, string>> = { PREVRANDAO: 'DIFFICULTY' }

it('names every opcode of ethereumjs under Osaka like geth', async () => {
  const evm = await createEVM({ common: new Common({ chain: Mainnet, hardfork: Hardfork.Osaka }) })
  const known = [...evm.getActiveOpcodes()]
  expect(known.length).toBeGreaterThan(140)
  for (const [opcode, { fullName }] of known)
    expect(opcodeNames[opcode]).toBe(differences[fullName] ?? fullName)
  expect(opcodeNames[0x0c]).toBe('opcode 0xc not defined')
  expect(opcodeNames[0xd2]).toBe('DATASIZE')
  expect(opcodeNames[0xf9]).toBe('EXTDELEGATECALL')
  expect(opcodeNames[0xfa]).toBe('STATICCALL')
  expect(opcodeNames).toHaveLength(256)
})
