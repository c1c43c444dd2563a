import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createBlock } from '@ethereumjs/block'
import { Common, Mainnet } from '@ethereumjs/common'
import { createTxFromRLP } from '@ethereumjs/tx'
import { Account, Address } from '@ethereumjs/util'
import { createVM, runTx } from '@ethereumjs/vm'
import { describe, expect, it } from 'vitest'
import { customCrypto } from '../../src/chain/crypto.js'
import { kzg } from '../../src/chain/kzg.js'
import { StateStore } from '../../src/chain/state/stateStore.js'
import { EMPTY_ROOT } from '../../src/chain/state/trieNode.js'
import { WorkingState } from '../../src/chain/state/workingState.js'
import { bytesToHex, hexToBytes } from '../../src/encoding/hex.js'
import { bigintToBytes } from '../../src/encoding/quantity.js'
import { keyspaceOf } from '../../src/storage/keyspace.js'
import type { Hex } from '../../src/encoding/hex.js'

/** The published form of a state test: https://eest.ethereum.org/main/consuming_tests/state_test/ */
interface StateTest {
  env: Record<string, Hex | undefined>
  pre: Record<Hex, { nonce: Hex; balance: Hex; code: Hex; storage: Record<Hex, Hex> }>
  post: Record<string, { hash: Hex; txbytes: Hex; expectException?: string }[]>
}

const conformance = process.env['STANDIN_CONFORMANCE'] ?? '../shared/conformance'
const folders = ['ethereum-tests/GeneralStateTests', 'osaka-state-tests'].map((name) =>
  join(conformance, name),
)
/** One file in this many is run: all of them take minutes, those of vmPerformance most of it. */
const SAMPLE = 8

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json') && !name.includes('vmPerformance'))
    .sort()
    .filter((_, index) => index % SAMPLE === 0)

const commons = new Map<string, Common>()
const commonOf = (fork: string): Common => {
  const common =
    commons.get(fork) ??
    new Common({ chain: Mainnet, hardfork: fork.toLowerCase(), customCrypto: { ...customCrypto, kzg } })
  commons.set(fork, common)
  return common
}

const loadState = async (pre: StateTest['pre']): Promise<WorkingState> => {
  const store = new StateStore({ database: { get: () => undefined }, keyspace: keyspaceOf(0) })
  const state = new WorkingState({ base: store.viewAt(EMPTY_ROOT), store })
  for (const [key, { nonce, balance, code, storage }] of Object.entries(pre)) {
    const address = new Address(hexToBytes(key))
    await state.putAccount(address, new Account(BigInt(nonce), BigInt(balance)))
    if (code.length > 2) await state.putCode(address, hexToBytes(code))
    for (const [slot, value] of Object.entries(storage)) {
      await state.putStorage(address, bigintToBytes(BigInt(slot), 32), bigintToBytes(BigInt(value), 32))
    }
  }
  // What accounts look like to a transaction: with their roots computed, as after a block.
  state.computeRoot()
  return state
}

const blockOf = (env: StateTest['env'], common: Common) => {
  const header = {
    coinbase: env['currentCoinbase'],
    number: env['currentNumber'],
    timestamp: env['currentTimestamp'],
    gasLimit: env['currentGasLimit'],
    difficulty: '0x0',
    mixHash: env['currentRandom'],
    baseFeePerGas: env['currentBaseFee'],
    excessBlobGas: env['currentExcessBlobGas'],
  } as const
  return createBlock({ header }, { common, skipConsensusFormatValidation: true })
}

describe.skipIf(!folders.every(existsSync))(
  `the library's machine on the working state, published state tests (left out where ${conformance} is absent)`,
  () => {
    it.each(folders)('%s: roots are those that were published', { timeout: 240_000 }, async (folder) => {
      const different: string[] = []
      let run = 0
      for (const file of filesUnder(folder)) {
        const tests = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, StateTest>
        for (const { env, pre, post } of Object.values(tests)) {
          for (const [fork, cases] of Object.entries(post)) {
            for (const [index, { hash, txbytes, expectException }] of cases.entries()) {
              if (expectException !== undefined) continue
              const common = commonOf(fork)
              const stateManager = await loadState(pre)
              const vm = await createVM({ common, stateManager })
              const tx = createTxFromRLP(hexToBytes(txbytes), { common, freeze: false })
              await runTx(vm, { tx, block: blockOf(env, common), skipHardForkValidation: true })
              run++
              if (bytesToHex(await stateManager.getStateRoot()) !== hash)
                different.push(`${file} ${fork} ${index}`)
            }
          }
        }
      }
      expect(different).toEqual([])
      expect(run).toBeGreaterThan(0)
    })
  },
)
