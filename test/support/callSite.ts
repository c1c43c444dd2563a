import { Account, Address } from '@ethereumjs/util'
import { encodeDeployData } from 'viem'
import type { StoredBlock } from '../../src/chain/block/record.js'
import { type CallSite, call } from '../../src/chain/calls/call.js'
import { type Hardfork, createRules } from '../../src/chain/evm/forkSchedule.js'
import { WorkingState } from '../../src/chain/state/workingState.js'
import type { HeaderFields, StateView } from '../../src/chain/types.js'
import { hexToBytes } from '../../src/encoding/hex.js'
import { readArtifact } from './artifacts.js'

/** State without any accounts. */
const emptyState: StateView = {
  root: hexToBytes('56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'),
  getAccount: () => undefined,
  getCode: () => new Uint8Array(0),
  getStorage: () => new Uint8Array(32),
}

export const testHeader: HeaderFields = {
  parentHash: new Uint8Array(32).fill(1),
  uncleHash: new Uint8Array(32),
  coinbase: new Uint8Array(20).fill(0xcc),
  stateRoot: new Uint8Array(32),
  transactionsRoot: new Uint8Array(32),
  receiptsRoot: new Uint8Array(32),
  logsBloom: new Uint8Array(256),
  difficulty: 0n,
  number: 7n,
  gasLimit: 30_000_000n,
  gasUsed: 0n,
  timestamp: 1_800_000_000n,
  extraData: new Uint8Array(0),
  mixHash: new Uint8Array(32).fill(3),
  nonce: new Uint8Array(8),
  baseFeePerGas: 1_000_000_000n,
  withdrawalsRoot: new Uint8Array(32),
  blobGasUsed: 0n,
  excessBlobGas: 0n,
  parentBeaconBlockRoot: new Uint8Array(32),
  requestsHash: new Uint8Array(32),
}

/** An empty block with {@link testHeader}. */
export const testBlock: StoredBlock = {
  ordinal: 0,
  hash: new Uint8Array(32),
  header: testHeader,
  totalDifficulty: 0n,
  size: 0,
  altered: false,
  transactions: [],
  uncleHashes: [],
}

export const alice: Uint8Array = new Uint8Array(20).fill(0xa1)
export const bob: Uint8Array = new Uint8Array(20).fill(0xb0)

/** Creates a call site where alice has 10 ether and the named contracts from fixtures/contracts are deployed. */
export async function createTestSite(
  contracts: Readonly<Record<string, { address: Uint8Array; args?: readonly unknown[] }>> = {},
  { hardfork = 'osaka' }: { hardfork?: Hardfork } = {},
): Promise<CallSite> {
  const state = new WorkingState({ base: emptyState })
  const rules = createRules({ chainId: 31337n, hardfork })
  const site: CallSite = {
    header: testHeader,
    rules,
    rulesAt: () => rules,
    state,
    blockHash: (number) => new Uint8Array(32).fill(Number(number)),
  }
  await state.putAccount(new Address(alice), new Account(5n, 10n ** 19n))
  for (const [name, { address, args = [] }] of Object.entries(contracts)) {
    const { abi, bytecode } = readArtifact(name)
    const data = hexToBytes(encodeDeployData({ abi, bytecode, args }))
    const code = await call({ site, call: { from: alice, data } })
    await state.putAccount(new Address(address), new Account(1n, 0n))
    await state.putCode(new Address(address), code)
  }
  return site
}
