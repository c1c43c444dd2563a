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

/** Defines a control that answers null when done. */
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

/** The methods of the `anvil_` namespace. */
export const anvilMethods: readonly Method[] = [
  /** anvil_addBalance: adds wei to an account's balance. */
  defineControl(
    'anvil_addBalance',
    [required('address', address), required('wei', controlNumber)],
    (controls, address, wei) => controls.addBalance(address, wei),
  ),
  /** anvil_autoImpersonateAccount: starts or stops accepting unsigned transactions from every account. */
  defineControl('anvil_autoImpersonateAccount', [required('enabled', strictBoolean)], (controls, enabled) =>
    controls.autoImpersonate(enabled),
  ),
  dealERC20,
  /** anvil_dropAllTransactions: empties the mempool. */
  defineControl('anvil_dropAllTransactions', [], (controls) => controls.dropAllTransactions()),
  /** anvil_dropTransaction: removes a transaction from the mempool and returns its hash, or null if there is none. */
  defineMethod('anvil_dropTransaction', [required('transaction', hash)], async ({ backend }, transaction) =>
    (await backend.controls.dropTransaction(transaction)) ? bytesToHex(transaction) : null,
  ),
  dumpState,
  /** anvil_getAutomine: returns whether each transaction gets a block and interval mining is off. */
  defineMethod('anvil_getAutomine', [], ({ backend }) => {
    const { automine, interval } = backend.controls.miningMode()
    return automine && (interval === 0 || !backend.settings.compatibility.intervalMiningDisablesAutomine)
  }),
  getBlobByHash,
  getBlobsByTransactionHash,
  /** anvil_getGenesisTime: returns the timestamp of the first block in seconds. */
  defineMethod('anvil_getGenesisTime', [], ({ backend }) => Number(backend.controls.genesisTime())),
  /** anvil_getIntervalMining: returns the seconds between blocks of interval mining, or null. */
  defineMethod('anvil_getIntervalMining', [], ({ backend }) => {
    const { interval } = backend.controls.miningMode()
    const milliseconds = typeof interval === 'number' ? interval : interval[0]
    return milliseconds === 0 ? null : milliseconds / 1000
  }),
  /** anvil_impersonateAccount: starts accepting unsigned transactions from an account, even a contract. */
  defineControl('anvil_impersonateAccount', [required('address', address)], (controls, address) =>
    controls.impersonate(address),
  ),
  impersonateSignature,
  loadState,
  metadata,
  /** anvil_mine: mines blocks; an interval in seconds also separates the first one from the head. */
  defineMethod(
    'anvil_mine',
    [optional('blocks', controlUint64), optional('interval', controlUint64)],
    async ({ backend, context }, blocks = 1n, interval = 0n) => {
      await backend.controls.mine({
        blocks: Number(blocks),
        interval,
        intervalBeforeFirst: true,
        advancesClock: backend.settings.compatibility.miningAdvancesClock,
        signal: context.signal,
      })
      return null
    },
  ),
  nodeInfo,
  /** anvil_removeBlockTimestampInterval: returns timestamps to the clock, and whether an interval was set. */
  defineMethod('anvil_removeBlockTimestampInterval', [], async ({ backend }) =>
    backend.controls.setBlockTimestampInterval(undefined),
  ),
  /** anvil_removePoolTransactions: removes all transactions of an account from the mempool. */
  defineControl('anvil_removePoolTransactions', [required('address', address)], (controls, address) =>
    controls.dropTransactionsFrom(address),
  ),
  reorg,
  reset,
  /** anvil_rollback: removes the last blocks, by default one, with their transactions. */
  defineControl('anvil_rollback', [optional('depth', controlNumber)], (controls, depth = 1n) =>
    controls.rollback(Number(depth)),
  ),
  /** anvil_setBalance: sets an account's balance in wei. */
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
  /** anvil_setChainId: changes the chain id immediately, until the node stops. */
  defineControl('anvil_setChainId', [required('chainId', controlNumber)], (controls, chainId) =>
    controls.setChainId(chainId),
  ),
  /** anvil_setCode: sets the runtime code of an address; no bytes remove it. */
  defineControl(
    'anvil_setCode',
    [required('address', address), required('code', data)],
    (controls, address, code) => controls.setCode(address, code),
  ),
  /** anvil_setCoinbase: sets the fee recipient, starting with the next block. */
  defineControl('anvil_setCoinbase', [required('address', address)], (controls, address) =>
    controls.setCoinbase(address),
  ),
  setERC20Allowance,
  /** anvil_setIntervalMining: mines a block every n seconds; 0 stops it. */
  defineControl('anvil_setIntervalMining', [required('seconds', controlNumber)], (controls, seconds) =>
    controls.setIntervalMining(Number(seconds) * 1000),
  ),
  /** anvil_setLoggingEnabled: enables or disables the log of blocks and contracts. */
  defineControl('anvil_setLoggingEnabled', [required('enabled', strictBoolean)], (controls, enabled) =>
    controls.setLogging(enabled),
  ),
  /** anvil_setMinGasPrice: sets the minimum gas price in wei; only before London. */
  defineControl('anvil_setMinGasPrice', [required('gasPrice', controlNumber)], (controls, gasPrice) =>
    controls.setMinGasPrice(gasPrice),
  ),
  /** anvil_setNextBlockBaseFeePerGas: sets the base fee of the next block only, in wei per gas. */
  defineControl(
    'anvil_setNextBlockBaseFeePerGas',
    [required('baseFee', controlWeiPerGas)],
    (controls, baseFee) => controls.setNextBaseFee(baseFee),
  ),
  /** anvil_setNextBlockPrevRandao: sets the PREVRANDAO of the next block only; 32 bytes. */
  defineControl('anvil_setNextBlockPrevRandao', [required('value', hash)], (controls, value) =>
    controls.setPrevRandao(value),
  ),
  setNonce,
  /** anvil_setRpcUrl: switches to another node of the forked chain; without a fork it does nothing. */
  defineControl('anvil_setRpcUrl', [required('url', httpUrl)], (controls, url) => controls.setRemote(url)),
  /** anvil_setStorageAt: sets an account's slot to 32 bytes and returns true. */
  defineMethod(
    'anvil_setStorageAt',
    [required('address', address), required('slot', controlNumber), required('value', hash)],
    async ({ backend }, address, slot, value) => {
      await backend.controls.setStorage(address, bigintToBytes(slot, 32), value)
      return true
    },
  ),
  /** anvil_stopImpersonatingAccount: stops accepting unsigned transactions from an account. */
  defineControl('anvil_stopImpersonatingAccount', [required('address', address)], (controls, address) =>
    controls.stopImpersonating(address),
  ),
]
