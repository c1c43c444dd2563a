import { RLP } from '@ethereumjs/rlp'
import { Account, Address, EthereumJSError } from '@ethereumjs/util'
import { ChainError } from '../../../src/chain/errors.js'
import { type BlobSchedule, type Hardfork, createRules } from '../../../src/chain/evm/forkSchedule.js'
import { keccak256 } from '../../../src/chain/crypto.js'
import { decodeTransaction } from '../../../src/chain/mempool/decode.js'
import { checkSignature, recoverTransaction } from '../../../src/chain/mempool/transaction.js'
import { EMPTY_TRIE_ROOT } from '../../../src/chain/state/nodeRecord.js'
import { StateStore } from '../../../src/chain/state/stateStore.js'
import { WorkingState } from '../../../src/chain/state/workingState.js'
import type { ExecutionLog, ForkRules, HeaderFields } from '../../../src/chain/types.js'
import { BlockExecution } from '../../../src/chain/vm/block.js'
import { createBlockEnvironment, withEvm } from '../../../src/chain/vm/blockEnvironment.js'
import { bytesToHex, hexToBytes } from '../../../src/encoding/hex.js'
import { keyspaceOf } from '../../../src/storage/keyspace.js'
import { WriteBatch } from '../../../src/storage/database.js'
import { MemoryDatabase } from '../../support/memoryDatabase.js'
import { type Outcome, accountsOf, expectSame, hardforkOf, outcomeOf, readVectors } from './vectors.js'

interface PostState {
  hash: string
  logs: string
  txbytes: string
  indexes: { data: number; gas: number; value: number }
  expectException?: string
}

interface StateTest {
  env: Record<string, string>
  pre: unknown
  post: Record<string, PostState[]>
  config?: { chainid?: string; blobSchedule?: Record<string, Record<string, string>> }
}

/** Runs the state tests of a file: each transaction alone, on each fork with expected results. */
export async function* runStateTests(path: string): AsyncGenerator<Outcome> {
  for (const [name, test] of readVectors<StateTest>(path)) {
    for (const [fork, posts] of Object.entries(test.post)) {
      for (const post of posts) {
        const { data, gas, value } = post.indexes
        yield await outcomeOf(`${name} ${fork} d${data} g${gas} v${value}`, () => runOne(test, fork, post))
      }
    }
  }
}

async function runOne(test: StateTest, fork: string, post: PostState): Promise<void> {
  const rules = rulesOf(test, fork)
  const state = await stateOf(test.pre)
  const header = headerOf(test.env, rules)
  const { logs, failure } = await execute(state, rules, header, hexToBytes(post.txbytes))
  if ((failure !== undefined) !== (post.expectException !== undefined)) {
    throw new Error(`expected ${post.expectException ?? 'no refusal'}, got ${failure ?? 'none'}`)
  }
  const list = logs.map(({ address, topics, data }) => [address, topics, data])
  expectSame('logs', bytesToHex(keccak256(RLP.encode(list))), post.logs)
  expectSame('state', bytesToHex(state.computeRoot().root), post.hash)
}

const shared = new Map<string, ForkRules>()

/** Returns the rules of a fork, shared by its tests as by the blocks of a chain. */
function rulesOf({ config }: StateTest, fork: string): ForkRules {
  const hardfork = hardforkOf(fork)
  const chainId = BigInt(config?.chainid ?? 1)
  const blobSchedule = scheduleOf(config, fork, hardfork)
  const key = `${hardfork}/${chainId}/${Object.values(blobSchedule ?? {}).join('/')}`
  const rules =
    shared.get(key) ?? createRules({ chainId, hardfork, blobSchedule, transactionGasLimitCap: true })
  shared.set(key, rules)
  return rules
}

function scheduleOf(config: StateTest['config'], fork: string, hardfork: Hardfork): BlobSchedule | undefined {
  const schedule = config?.blobSchedule?.[fork] ?? config?.blobSchedule?.[hardfork]
  if (schedule === undefined) return undefined
  return {
    target: BigInt(schedule['target'] ?? 0),
    max: BigInt(schedule['max'] ?? 0),
    baseFeeUpdateFraction: BigInt(schedule['baseFeeUpdateFraction'] ?? 1),
  }
}

/** Creates a working state over stored tries, like that of a block. */
async function stateOf(pre: unknown): Promise<WorkingState> {
  const database = new MemoryDatabase()
  const store = new StateStore({ database, keyspace: keyspaceOf(0) })
  const before = new WorkingState({ base: store.viewAt(EMPTY_TRIE_ROOT), store })
  for (const { address, balance, nonce, code, storage } of accountsOf(pre)) {
    const target = new Address(address)
    await before.putAccount(target, new Account(nonce, balance))
    if (code.length > 0) await before.putCode(target, code)
    for (const [slot, value] of storage) await before.putStorage(target, slot, value)
  }
  const commitment = before.computeRoot()
  const batch = new WriteBatch()
  store.stage(batch, commitment)
  database.write(batch)
  return new WorkingState({ base: store.viewAt(commitment.root), store })
}

function headerOf(env: Record<string, string>, rules: ForkRules): HeaderFields {
  const number = (name: string): bigint => BigInt(env[name] ?? 0)
  const word = (name: string): Uint8Array => hexToBytes((env[name] ?? '0x').slice(2).padStart(64, '0'))
  return {
    parentHash: word('previousHash'),
    uncleHash: new Uint8Array(32),
    coinbase: hexToBytes(env['currentCoinbase'] ?? '00'.repeat(20)),
    stateRoot: new Uint8Array(32),
    transactionsRoot: new Uint8Array(32),
    receiptsRoot: new Uint8Array(32),
    logsBloom: new Uint8Array(256),
    difficulty: rules.gteHardfork('paris') ? 0n : number('currentDifficulty'),
    number: number('currentNumber'),
    gasLimit: number('currentGasLimit'),
    gasUsed: 0n,
    timestamp: number('currentTimestamp'),
    extraData: new Uint8Array(0),
    mixHash: word('currentRandom'),
    nonce: new Uint8Array(8),
    ...(rules.isActivatedEIP(1559) && { baseFeePerGas: number('currentBaseFee') }),
    ...(rules.isActivatedEIP(4844) && { excessBlobGas: number('currentExcessBlobGas'), blobGasUsed: 0n }),
  }
}

interface Executed {
  logs: readonly ExecutionLog[]
  failure: string | undefined
}

/** Applies a transaction like a block would; a refused one leaves the state unchanged. */
async function execute(
  state: WorkingState,
  rules: ForkRules,
  header: HeaderFields,
  raw: Uint8Array,
): Promise<Executed> {
  const block = createBlockEnvironment(header, rules)
  // State tests have no ancestors; geth uses hashes of their numbers (tests/state_test_util.go, vmTestBlockHash).
  const blockHash = (number: bigint): Uint8Array => keccak256(new TextEncoder().encode(number.toString()))
  return withEvm({ rules, state, block, blockHash }, async (evm) => {
    const execution = await BlockExecution.begin({ evm, rules, header, block })
    try {
      const fields = decodeTransaction(raw)
      checkSignature(fields, rules)
      const { receipt } = await execution.apply(recoverTransaction(fields, rules))
      return { logs: receipt.logs, failure: undefined }
    } catch (error) {
      if (!(error instanceof ChainError || error instanceof EthereumJSError)) throw error
      return { logs: [], failure: error.message }
    }
  })
}
