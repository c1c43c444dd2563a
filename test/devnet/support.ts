import type { Hex } from 'viem'
import { createNode, type NodeOptions, type StandinNode } from '../../src/index.js'

/** Members of a receipt that tests use. */
export interface Receipt {
  status: Hex
  blockNumber: Hex
  contractAddress: Hex
  from: Hex
  gasUsed: Hex
  transactionHash: Hex
  logs: unknown[]
}

/** Members of a block that tests use. */
export interface Block {
  number: Hex
  hash: Hex
  parentHash: Hex
  timestamp: Hex
  gasLimit: Hex
  baseFeePerGas: Hex
  miner: Hex
  mixHash: Hex
  extraData: Hex
  stateRoot: Hex
  transactions: Hex[]
}

/** A node with shortcuts for tests. */
export interface Devnet {
  node: StandinNode
  /** The first two funded accounts. */
  from: Hex
  to: Hex
  call<T>(method: string, ...params: unknown[]): Promise<T>
  /** Sends a transaction that is mined immediately. @returns its receipt */
  send(fields: Record<string, unknown>): Promise<Receipt>
  block(id?: string): Promise<Block>
  height(): Promise<number>
}

const nodes: StandinNode[] = []

/** Starts a node in this process. {@link stopAll} stops it. */
export async function startDevnet(options: NodeOptions = {}): Promise<Devnet> {
  const node = await createNode({ port: 0, ...options })
  nodes.push(node)
  const [first, second] = node.accounts.map(({ address }) => address)
  if (first === undefined || second === undefined) throw new Error('the node has no accounts')
  const call = async <T>(method: string, ...params: unknown[]) => (await node.request(method, params)) as T
  return {
    node,
    from: first,
    to: second,
    call,
    send: async (fields) => {
      const hash = await call<Hex>('eth_sendTransaction', { from: first, ...fields })
      return call<Receipt>('eth_getTransactionReceipt', hash)
    },
    block: (id = 'latest') => call<Block>('eth_getBlockByNumber', id, false),
    height: async () => Number(await call<Hex>('eth_blockNumber')),
  }
}

/** Stops one node before the others. */
export async function stopDevnet({ node }: Devnet): Promise<void> {
  nodes.splice(nodes.indexOf(node), 1)
  await node.stop()
}

/** Stops all started nodes. */
export async function stopAll(): Promise<void> {
  await Promise.all(nodes.splice(0).map((node) => node.stop()))
}

/** Returns the error of a refused call. */
export async function refusalOf(promise: Promise<unknown>): Promise<{ code: number; message: string }> {
  try {
    await promise
  } catch (error) {
    const { code, message } = error as { code: number; message: string }
    return { code, message }
  }
  throw new Error('the call was not refused')
}
