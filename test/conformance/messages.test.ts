import { Account, Address } from '@ethereumjs/util'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ChainError } from '../../src/chain/errors.js'
import { createRules, parseHardfork } from '../../src/chain/evm/forkSchedule.js'
import { keccak256 } from '../../src/chain/crypto.js'
import { decodeTransaction } from '../../src/chain/mempool/decode.js'
import { checkSignature, recoverTransaction } from '../../src/chain/mempool/transaction.js'
import { EMPTY_TRIE_ROOT } from '../../src/chain/state/nodeRecord.js'
import { StateStore } from '../../src/chain/state/stateStore.js'
import { WorkingState } from '../../src/chain/state/workingState.js'
import type { ForkRules, HeaderFields } from '../../src/chain/types.js'
import { createBlockEnvironment, withEvm } from '../../src/chain/vm/blockEnvironment.js'
import { messageFromTransaction } from '../../src/chain/vm/message.js'
import { transactionChecks } from '../../src/chain/vm/preCheck.js'
import { runMessage } from '../../src/chain/vm/runTransaction.js'
import { type Hex, bigintToBytes, bytesToHex, hexToBytes } from '../../src/encoding/hex.js'
import { keyspaceOf } from '../../src/storage/keyspace.js'
import { testHeader } from '../support/callSite.js'
import { MemoryDatabase } from '../support/memoryDatabase.js'

/** A state test: https://eest.ethereum.org/main/consuming_tests/state_test/ */
interface StateTest {
  env: Record<string, Hex | undefined>
  pre: Record<Hex, { nonce: Hex; balance: Hex; code: Hex; storage: Record<Hex, Hex> }>
  post: Record<string, { hash: Hex; txbytes: Hex; expectException?: string }[]>
}

const conformance = process.env['STANDIN_CONFORMANCE'] ?? '../shared/conformance'
const directories = ['ethereum-tests/GeneralStateTests', 'osaka-state-tests'].map((name) =>
  join(conformance, name),
)
/** Runs one file in this many; STANDIN_STATE_TESTS=1 runs them all. */
const SAMPLE = Number(process.env['STANDIN_STATE_TESTS'] ?? 8)

const filesUnder = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json') && !name.includes('vmPerformance'))
    .sort()
    .filter((_, index) => index % SAMPLE === 0)

const rulesByFork = new Map<string, ForkRules>()
function rulesOf(fork: string): ForkRules {
  let rules = rulesByFork.get(fork)
  if (rules === undefined) {
    const hardfork = parseHardfork(fork)
    if (hardfork === undefined) throw new Error(`no fork is called ${fork}`)
    rules = createRules({ chainId: 1n, hardfork, transactionGasLimitCap: true })
    rulesByFork.set(fork, rules)
  }
  return rules
}

async function loadState(pre: StateTest['pre']): Promise<WorkingState> {
  const store = new StateStore({
    database: new MemoryDatabase(),
    keyspace: keyspaceOf(0),
  })
  const state = new WorkingState({ base: store.viewAt(EMPTY_TRIE_ROOT), store })
  for (const [key, { nonce, balance, code, storage }] of Object.entries(pre)) {
    const address = new Address(hexToBytes(key))
    await state.putAccount(address, new Account(BigInt(nonce), BigInt(balance)))
    if (code.length > 2) await state.putCode(address, hexToBytes(code))
    for (const [slot, value] of Object.entries(storage)) {
      await state.putStorage(address, bigintToBytes(BigInt(slot), 32), bigintToBytes(BigInt(value), 32))
    }
  }
  state.computeRoot()
  return state
}

function headerOf(env: StateTest['env']): HeaderFields {
  const bytes = (name: string, length: number) => bigintToBytes(BigInt(env[name] ?? 0), length)
  return {
    ...testHeader,
    coinbase: bytes('currentCoinbase', 20),
    number: BigInt(env['currentNumber'] ?? 0),
    timestamp: BigInt(env['currentTimestamp'] ?? 0),
    gasLimit: BigInt(env['currentGasLimit'] ?? 0),
    mixHash: bytes('currentRandom', 32),
    baseFeePerGas: BigInt(env['currentBaseFee'] ?? 0),
    excessBlobGas: BigInt(env['currentExcessBlobGas'] ?? 0),
  }
}

/** Runs a case; returns its state root, and whether the transaction was refused. */
async function run(
  { env, pre }: StateTest,
  fork: string,
  txbytes: Hex,
): Promise<{ root: string; refused: boolean }> {
  const rules = rulesOf(fork)
  const state = await loadState(pre)
  const header = headerOf(env)
  const block = createBlockEnvironment(header, rules)
  // In these tests the hash of block n is the hash of its decimal number.
  const blockHash = (number: bigint) => keccak256(Buffer.from(number.toString()))
  let refused = false
  try {
    const fields = decodeTransaction(hexToBytes(txbytes))
    checkSignature(fields, rules)
    if (fields.gasLimit > header.gasLimit) throw new ChainError('gas limit reached')
    const message = messageFromTransaction(recoverTransaction(fields, rules), header.baseFeePerGas)
    await withEvm({ rules, state, block, blockHash }, (evm) => runMessage(evm, message, transactionChecks))
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    refused = true
  }
  return { root: bytesToHex(await state.getStateRoot()), refused }
}

describe.skipIf(!directories.every(existsSync))(
  `messages, published state tests (skipped without ${conformance})`,
  () => {
    it.each(directories)('%s: roots equal the published ones', { timeout: 1_200_000 }, async (directory) => {
      const different: string[] = []
      let count = 0
      for (const file of filesUnder(directory)) {
        const tests = JSON.parse(readFileSync(join(directory, file), 'utf8')) as Record<string, StateTest>
        for (const test of Object.values(tests)) {
          for (const [fork, cases] of Object.entries(test.post)) {
            for (const [index, { hash, txbytes, expectException }] of cases.entries()) {
              const result = await run(test, fork, txbytes).catch((error: unknown) => ({
                root: String(error),
                refused: false,
              }))
              count++
              const isRight = result.root === hash && result.refused === (expectException !== undefined)
              if (!isRight)
                different.push(
                  `${file} ${fork} ${index} ${expectException ?? ''} ${result.refused ? 'refused' : ''} ${result.root.startsWith('0x') ? '' : result.root}`,
                )
            }
          }
        }
      }
      expect(different).toEqual([])
      expect(count).toBeGreaterThan(0)
    })
  },
)
