import type { Method, Result } from '../method.js'
import { anvilMethods } from './anvil.js'
import { sendUnsignedTransaction } from './eth/sendRawTransaction.js'
import { evmMethods } from './evm.js'
import { hardhatMethods } from './hardhat.js'
import { minerMethods } from './miner.js'
import { personalMethods } from './personal.js'
import { dumpGenesis, importBlocks } from './standin.js'

/** Names under which clients know what anvil has under its own name, besides `hardhat_` and `ganache_`. */
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

/** The methods of `evm_` that clients also send under the name of their node. */
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

/** A method under other names; those that have a meaning of their own are left out. */
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

/** Setters whose peers answer true: those of hardhat, of ganache, and the setters of accounts that ganache brought. */
const answersTrue = /^(hardhat|ganache|miner)_|^evm_setAccount/

/**
 * Answers true in the place of null where the node that the name belongs to does so; the names that all nodes share
 * go by the compatibility that was chosen. In anvil the names of hardhat are others for its own.
 */
function answeringAsNamed(method: Method): Method {
  const named = answersTrue.test(method.name)
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

/** The controls of the node under all their names. */
export const controlMethods: readonly Method[] = own
  .flatMap((method) => [method, ...aliasesOf(method)])
  .map(answeringAsNamed)

/** Names of the methods that drive the node rather than ask it: closed to pages of other sites. */
export const controlMethodNames: ReadonlySet<string> = new Set(
  [...controlMethods, ...personalMethods, sendUnsignedTransaction].map(({ name }) => name),
)
