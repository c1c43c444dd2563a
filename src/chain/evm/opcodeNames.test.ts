import { createEVM } from '@ethereumjs/evm'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { expect, it } from 'vitest'
import { opcodeNames } from './opcodeNames.js'

/** Names under which geth and ethereumjs know the same opcode. */
const differences: Readonly<Record<string, string>> = { PREVRANDAO: 'DIFFICULTY' }

it('names every opcode that ethereumjs knows under Osaka as geth does', async () => {
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
