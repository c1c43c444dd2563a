import { bigintToBytes, bytesToHex } from '../../encoding/hex.js'
import type { Backend } from '../backend.js'
import { type Method, defineMethod, optional, required } from '../method.js'
import type { ArgumentsOf, Parameter } from '../params/combinators.js'
import { address, data, hash, httpUrl, strictBoolean } from '../params/bytes.js'
import { controlNumber, controlUint64, controlWeiPerGas } from '../params/numbers.js'
import { dumpState, loadState } from './anvil/dumpState.js'
import { dealERC20, setERC20Allowance } from './anvil/erc20.js'
import { getBlobByHash, getBlobsByTransactionHash } from './anvil/getBlobsByTransactionHash.js'
import { impersonateSignature } from './anvil/impersonateSignature.js'
import { metadata, nodeInfo } from './anvil/nodeInfo.js'
import { reorg } from './anvil/reorg.js'
import { reset } from './anvil/reset.js'
import { setNonce } from './anvil/setNonce.js'

/** A control that answers null when it has done its work. */
function defineControl<const P extends readonly Parameter<unknown>[]>(
  name: string,
  parameters: P,
  run: (controls: Backend['controls'], ...args: ArgumentsOf<P>) => unknown,
): Method {
  return defineMethod(name, parameters, async ({ backend }, ...args) => {
    await run(backend.controls, ...args)
    return null
  })
}

/** The methods whose names begin with `anvil_`. */
export const anvilMethods: readonly Method[] = [
  /** anvil_addBalance: adds wei to the balance of an account. */
  defineControl(
    'anvil_addBalance',
    [required('address', address), required('wei', controlNumber)],
    (controls, address, wei) => controls.addBalance(address, wei),
  ),
  /** anvil_autoImpersonateAccount: takes transactions of every account without a signature, or no longer. */
  defineControl('anvil_autoImpersonateAccount', [required('enabled', strictBoolean)], (controls, enabled) =>
    controls.autoImpersonate(enabled),
  ),
  dealERC20,
  /** anvil_dropAllTransactions: takes everything out of the mempool. */
  defineControl('anvil_dropAllTransactions', [], (controls) => controls.dropAllTransactions()),
  /** anvil_dropTransaction: takes a transaction out of the mempool; its hash, or null if there is none. */
  defineMethod('anvil_dropTransaction', [required('transaction', hash)], async ({ backend }, transaction) =>
    (await backend.controls.dropTransaction(transaction)) ? bytesToHex(transaction) : null,
  ),
  dumpState,
  /** anvil_getAutomine: whether a block is mined for each transaction, and none by the clock. */
  defineMethod('anvil_getAutomine', [], ({ backend }) => {
    const { automine, interval } = backend.controls.miningMode()
    return automine && (interval === 0 || !backend.settings.compatibility.intervalMiningDisablesAutomine)
  }),
  getBlobByHash,
  getBlobsByTransactionHash,
  /** anvil_getGenesisTime: the time of the first block in seconds. */
  defineMethod('anvil_getGenesisTime', [], ({ backend }) => Number(backend.controls.genesisTime())),
  /** anvil_getIntervalMining: the seconds between blocks that are mined by the clock, or null. */
  defineMethod('anvil_getIntervalMining', [], ({ backend }) => {
    const { interval } = backend.controls.miningMode()
    const milliseconds = typeof interval === 'number' ? interval : interval[0]
    return milliseconds === 0 ? null : milliseconds / 1000
  }),
  /** anvil_impersonateAccount: takes transactions of an account without a signature from now on, a contract too. */
  defineControl('anvil_impersonateAccount', [required('address', address)], (controls, address) =>
    controls.impersonate(address),
  ),
  impersonateSignature,
  loadState,
  metadata,
  /** anvil_mine: mines blocks; with an interval in seconds the first is that much behind the head too. */
  defineMethod(
    'anvil_mine',
    [optional('blocks', controlUint64), optional('interval', controlUint64)],
    async ({ backend, context }, blocks = 1n, interval = 0n) => {
      await backend.controls.mine({
        blocks: Number(blocks),
        interval,
        intervalBeforeFirst: true,
        signal: context.signal,
      })
      return null
    },
  ),
  nodeInfo,
  /** anvil_removeBlockTimestampInterval: lets the clock decide about the time of blocks again; whether it did not. */
  defineMethod('anvil_removeBlockTimestampInterval', [], async ({ backend }) =>
    backend.controls.setBlockTimestampInterval(undefined),
  ),
  /** anvil_removePoolTransactions: takes all transactions of an account out of the mempool. */
  defineControl('anvil_removePoolTransactions', [required('address', address)], (controls, address) =>
    controls.dropTransactionsFrom(address),
  ),
  reorg,
  reset,
  /** anvil_rollback: takes blocks off the end of the chain, one unless more are asked for; their transactions are gone. */
  defineControl('anvil_rollback', [optional('depth', controlNumber)], (controls, depth = 1n) =>
    controls.rollback(Number(depth)),
  ),
  /** anvil_setBalance: sets the balance of an account in wei. */
  defineControl(
    'anvil_setBalance',
    [required('address', address), required('balance', controlNumber)],
    (controls, address, balance) => controls.setBalance(address, balance),
  ),
  /** anvil_setBlockTimestampInterval: fixes the seconds between a block and its parent. */
  defineControl(
    'anvil_setBlockTimestampInterval',
    [required('seconds', controlNumber)],
    (controls, seconds) => controls.setBlockTimestampInterval(seconds),
  ),
  /** anvil_setChainId: changes the chain id at once, until the node stops. */
  defineControl('anvil_setChainId', [required('chainId', controlNumber)], (controls, chainId) =>
    controls.setChainId(chainId),
  ),
  /** anvil_setCode: puts runtime code at an address; no bytes take it away. */
  defineControl(
    'anvil_setCode',
    [required('address', address), required('code', data)],
    (controls, address, code) => controls.setCode(address, code),
  ),
  /** anvil_setCoinbase: sets who gets the fees of blocks from the next on. */
  defineControl('anvil_setCoinbase', [required('address', address)], (controls, address) =>
    controls.setCoinbase(address),
  ),
  setERC20Allowance,
  /** anvil_setIntervalMining: mines a block every so many seconds; 0 ends that. */
  defineControl('anvil_setIntervalMining', [required('seconds', controlNumber)], (controls, seconds) =>
    controls.setIntervalMining(Number(seconds) * 1000),
  ),
  /** anvil_setLoggingEnabled: lets the command tell about blocks and contracts, or keeps it quiet. */
  defineControl('anvil_setLoggingEnabled', [required('enabled', strictBoolean)], (controls, enabled) =>
    controls.setLogging(enabled),
  ),
  /** anvil_setMinGasPrice: sets the least gas price in wei; only before London. */
  defineControl('anvil_setMinGasPrice', [required('gasPrice', controlNumber)], (controls, gasPrice) =>
    controls.setMinGasPrice(gasPrice),
  ),
  /** anvil_setNextBlockBaseFeePerGas: sets the base fee of the next block alone, in wei per gas. */
  defineControl(
    'anvil_setNextBlockBaseFeePerGas',
    [required('baseFee', controlWeiPerGas)],
    (controls, baseFee) => controls.setNextBaseFee(baseFee),
  ),
  /** anvil_setNextBlockPrevRandao: sets what PREVRANDAO gives in the next block alone; 32 bytes. */
  defineControl('anvil_setNextBlockPrevRandao', [required('value', hash)], (controls, value) =>
    controls.setPrevRandao(value),
  ),
  setNonce,
  /** anvil_setRpcUrl: asks another node of the chain that a fork goes on from; without a fork it does nothing. */
  defineControl('anvil_setRpcUrl', [required('url', httpUrl)], (controls, url) => controls.setRemote(url)),
  /** anvil_setStorageAt: sets a slot of an account to 32 bytes; true. */
  defineMethod(
    'anvil_setStorageAt',
    [required('address', address), required('slot', controlNumber), required('value', hash)],
    async ({ backend }, address, slot, value) => {
      await backend.controls.setStorage(address, bigintToBytes(slot, 32), value)
      return true
    },
  ),
  /** anvil_stopImpersonatingAccount: takes transactions of an account with a signature only. */
  defineControl('anvil_stopImpersonatingAccount', [required('address', address)], (controls, address) =>
    controls.stopImpersonating(address),
  ),
]
