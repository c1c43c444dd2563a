import { bytesToHex, hexToBytes, quantity } from '../../encoding/hex.js'
import type { Call } from '../method.js'
import { type RemoteChain, ask } from './remoteChain.js'

/** A block parameter that refers to a remote block, and the parameter to send to the remote. */
export interface RemoteBlockParameter {
  number: bigint
  parameter: unknown
}

/** Tags of the newest blocks, which are local once the chain has grown. */
const newest: ReadonlySet<unknown> = new Set(['latest', 'safe', 'finalized'])

/**
 * Locates a block parameter on the remote chain; undefined if it refers to a local block, or none.
 *
 * @param value - undecoded: a tag, a quantity, or an object with either a number or a hash (EIP-1898)
 */
export async function toRemoteParameter(
  remote: RemoteChain,
  call: Call,
  value: unknown,
): Promise<RemoteBlockParameter | undefined> {
  const { forkBlock } = remote
  if (value === 'earliest') return { number: 0n, parameter: '0x0' }
  if (newest.has(value)) {
    const block = call.view.resolve({ tag: value as 'latest' | 'safe' | 'finalized' })
    return block === undefined ? undefined : within(block.header.number, forkBlock)
  }
  if (typeof value === 'string') return isQuantity(value) ? within(BigInt(value), forkBlock) : undefined
  if (typeof value !== 'object' || value === null) return undefined
  if ('blockNumber' in value) return toRemoteParameter(remote, call, value.blockNumber)
  if (!('blockHash' in value) || !isHash(value.blockHash)) return undefined
  const number = await remoteNumberOfHash(remote, call, value.blockHash)
  return number === undefined ? undefined : { number, parameter: quantity(number) }
}

/** Returns the number of a remote block by hash; undefined if the block is local or unknown. */
export async function remoteNumberOfHash(
  remote: RemoteChain,
  { view }: Call,
  hash: unknown,
): Promise<bigint | undefined> {
  if (!isHash(hash)) return undefined
  const local = view.blockByHash(hexToBytes(hash))
  if (local !== undefined) return within(local.header.number, remote.forkBlock)?.number
  const block = (await ask(remote, 'eth_getBlockByHash', [hash, false])) as { number: string } | null
  return block === null ? undefined : within(BigInt(block.number), remote.forkBlock)?.number
}

/** Returns the number of the remote block that contains a transaction; undefined if it is local or unknown. */
export async function remoteNumberOfTransaction(
  remote: RemoteChain,
  { view, backend }: Call,
  hash: unknown,
): Promise<bigint | undefined> {
  if (!isHash(hash)) return undefined
  const bytes = hexToBytes(hash)
  if (view.transactionLocation(bytes) !== undefined || backend.mempool.get(bytes) !== undefined)
    return undefined
  const found = (await ask(remote, 'eth_getTransactionByHash', [bytesToHex(bytes)])) as {
    blockNumber?: unknown
  } | null
  if (typeof found?.blockNumber !== 'string') return undefined
  return within(BigInt(found.blockNumber), remote.forkBlock)?.number
}

function within(number: bigint, forkBlock: bigint): RemoteBlockParameter | undefined {
  return number <= forkBlock ? { number, parameter: quantity(number) } : undefined
}

function isQuantity(text: string): boolean {
  return /^0x[0-9a-f]+$/i.test(text) && text.length <= 18
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)
}
