import type { Method, Result } from '../method.js'
import { anvilMethods } from './anvil.js'
import { sendUnsignedTransaction } from './eth/sendTransaction.js'
import { evmMethods } from './evm.js'
import { hardhatMethods } from './hardhat.js'
import { minerMethods } from './miner.js'
import { personalMethods } from './personal.js'
import { dumpGenesis, importBlocks } from './standin.js'

/** Additional names of anvil's controls, besides those with `hardhat_` and `ganache_`. */
const furtherNames: Readonly<Record<string, readonly string[]>> = {
  anvil_addBalance: ['tenderly_addBalance'],
  anvil_dealERC20: ['anvil_setERC20Balance', 'anvil_deal', 'tenderly_setErc20Balance'],
  anvil_dropAllTransactions: ['debug_clearTxpool'],
  anvil_nodeInfo: [],
  anvil_setBalance: ['tenderly_setBalance', 'evm_setAccountBalance'],
  anvil_setCode: ['tenderly_setCode', 'evm_setAccountCode'],
  anvil_setNextBlockPrevRandao: ['anvil_setPrevRandao', 'hardhat_setPrevRandao', 'ganache_setPrevRandao'],
  anvil_setNonce: ['tenderly_setNonce', 'evm_setAccountNonce'],
  anvil_setStorageAt: ['tenderly_setStorageAt'],
  evm_mine_detailed: ['anvil_mine_detailed'],
}

/** Prefixes under which clients also call the `evm_` methods. */
const nodeNames: readonly string[] = ['anvil', 'hardhat', 'ganache']

const own: readonly Method[] = [
  ...hardhatMethods,
  ...anvilMethods,
  ...evmMethods,
  ...minerMethods,
  dumpGenesis,
  importBlocks,
]
const ownNames: ReadonlySet<string> = new Set(own.map(({ name }) => name))

/** Returns a method's aliases, except names that have a meaning of their own. */
function aliasesOf(method: Method): Method[] {
  const [namespace, rest] = split(method.name)
  const byNode =
    namespace === 'anvil' || namespace === 'evm' ? nodeNames.map((node) => `${node}_${rest}`) : []
  return [...byNode, ...(furtherNames[method.name] ?? [])]
    .filter((name) => !ownNames.has(name))
    .map((name) => ({ ...method, name }))
}

function split(name: string): [namespace: string, rest: string] {
  const at = name.indexOf('_')
  return [name.slice(0, at), name.slice(at + 1)]
}

/** Methods that return true in their own node: hardhat's, ganache's, and ganache's account setters. */
const returnsTrue = /^(hardhat|ganache|miner)_|^evm_setAccount/

/**
 * Returns true instead of null where the node that a name belongs to does; names common to all nodes follow the
 * selected compatibility. In anvil, hardhat's names are aliases of its own.
 */
function answeringAsNamed(method: Method): Method {
  const named = returnsTrue.test(method.name)
  const shared = method.name.startsWith('evm_')
  if (!named && !shared) return method
  const inAnvil = own.find(({ name }) => name === method.name.replace(/^hardhat_/, 'anvil_')) ?? method
  return {
    ...method,
    invoke(call, params) {
      const { settersReturnTrue, hardhatControls } = call.backend.settings.compatibility
      if (hardhatControls === 'anvil') return inAnvil.invoke(call, params)
      const isTrue = named || settersReturnTrue
      const result = method.invoke(call, params)
      const answer = (value: Result): Result => (value === null && isTrue ? true : value)
      return result instanceof Promise ? result.then(answer) : answer(result)
    },
  }
}

/** The node's controls under all their names. */
export const controlMethods: readonly Method[] = own
  .flatMap((method) => [method, ...aliasesOf(method)])
  .map(answeringAsNamed)

/** Names of methods that control the node rather than query it; pages of other sites may not call them. */
export const controlMethodNames: ReadonlySet<string> = new Set(
  [...controlMethods, ...personalMethods, sendUnsignedTransaction].map(({ name }) => name),
)
