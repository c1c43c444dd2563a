import type { TransactionSerializable } from 'viem'
import type { Random } from '../support/random.js'
import { signers } from './chain.js'

const GWEI = 10n ** 9n
/**
 * The first signers, which have not delegated (EIP-7702). geth's pool accepts only one transaction of an account that
 * has; its tracker of local transactions returns the hashes of the others and resubmits them later
 * (core/txpool/locals).
 */
const UNDELEGATED = 8
/** Number of transactions per sender that geth queues behind a nonce gap; development nodes keep all. */
const ACCOUNT_QUEUE = 64

/**
 * Yields requests that send transactions to both pools: in order, with nonce gaps, duplicates, replacements, and
 * invalid in many ways.
 *
 * @param nonces - next nonce of each signer
 */
export async function* poolRequests(
  random: Random,
  { chainId, nonces, count }: { chainId: number; nonces: readonly number[]; count: number },
): AsyncGenerator<string> {
  const sent: string[] = []
  const next = [...nonces]
  const distinct = nonces.map(() => new Set<number>())
  for (let index = 0; index < count; index++) {
    const who = random.below(UNDELEGATED)
    const signer = signers[who]
    const known = next[who]
    const used = distinct[who]
    if (signer === undefined || known === undefined || used === undefined) continue
    const nonce = Math.max(0, known + random.pick([0, 0, 0, 0, 1, 3, -1, -1]))
    if (used.size === ACCOUNT_QUEUE && !used.has(nonce)) continue
    used.add(nonce)
    if (nonce === known) next[who] = known + 1
    const fees = random.pick([
      { type: 'eip1559', maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: GWEI },
      { type: 'eip1559', maxFeePerGas: 23n * GWEI, maxPriorityFeePerGas: 2n * GWEI },
      { type: 'eip1559', maxFeePerGas: GWEI, maxPriorityFeePerGas: GWEI },
      { type: 'legacy', gasPrice: 20n * GWEI },
      { type: 'legacy', gasPrice: 1n },
      { type: 'eip2930', gasPrice: 21n * GWEI, accessList: [] },
    ])
    const transaction = {
      chainId: random.chance(0.05) ? 1 : chainId,
      nonce,
      ...fees,
      gas: BigInt(random.pick([21_000, 21_000, 60_000, 20_999, 0x1000001])),
      value: random.pick([0n, 1n, 10n ** 18n, 10n ** 30n]),
      to: random.pick(signers).address,
      data: random.pick(['0x', '0x', random.hex(8)]),
    } as TransactionSerializable
    const raw =
      random.chance(0.1) && sent.length > 0 ? random.pick(sent) : await signer.signTransaction(transaction)
    sent.push(raw)
    yield JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] })
  }
}

/** Returns requests that read the pools. */
export function poolViews(): string[] {
  const calls: [method: string, params: unknown[]][] = [
    ['txpool_status', []],
    ['txpool_content', []],
    ['txpool_inspect', []],
    ...signers.flatMap(({ address }): [string, unknown[]][] => [
      ['txpool_contentFrom', [address]],
      ['eth_getTransactionCount', [address, 'pending']],
    ]),
  ]
  return calls.map(([method, params]) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
}
