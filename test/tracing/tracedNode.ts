import { encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { createNode, type StandinNode } from '../../src/index.js'
import { readArtifact } from '../support/artifacts.js'

/** The receipt fields that traces are compared with. */
export interface Receipt {
  transactionHash: Hex
  blockHash: Hex
  blockNumber: Hex
  contractAddress: Hex
  gasUsed: Hex
  status: Hex
  logs: { address: Hex; topics: Hex[]; data: Hex; logIndex: Hex }[]
}

/** One step of a struct log. */
export interface Step {
  pc: number
  op: string
  gas: number
  gasCost: number
  depth: number
  error?: string
  stack?: Hex[]
  memory?: Hex[]
  storage?: Record<Hex, Hex>
  returnData?: Hex
  refund?: number
}

/** Result of debug_traceTransaction without a tracer. */
export interface StructTrace {
  gas: number
  failed: boolean
  returnValue: Hex
  structLogs: Step[]
}

/** A frame of callTracer. */
export interface Frame {
  type: string
  from: Hex
  to?: Hex
  gas: Hex
  gasUsed: Hex
  input: Hex
  output?: Hex
  error?: string
  revertReason?: string
  value?: Hex
  calls?: Frame[]
  logs?: { address: Hex; topics: Hex[]; data: Hex; index: Hex; position: Hex }[]
}

/** A node with helpers to send, deploy and trace. */
export class TracedNode {
  readonly node: StandinNode

  private constructor(node: StandinNode) {
    this.node = node
  }

  static async start(options: Parameters<typeof createNode>[0] = {}): Promise<TracedNode> {
    return new TracedNode(await createNode({ port: 0, ...options }))
  }

  get alice(): Hex {
    return this.node.accounts[0]?.address.toLowerCase() as Hex
  }

  get bob(): Hex {
    return this.node.accounts[1]?.address.toLowerCase() as Hex
  }

  async call<T>(method: string, ...params: unknown[]): Promise<T> {
    return (await this.node.request(method, params)) as T
  }

  /** Sends a transaction from the first account and returns its receipt. */
  async send(transaction: Record<string, unknown>): Promise<Receipt> {
    const hash = await this.call<Hex>('eth_sendTransaction', { from: this.alice, ...transaction })
    return this.call<Receipt>('eth_getTransactionReceipt', hash)
  }

  /** Deploys a contract from fixtures/contracts. */
  async deploy(name: string, args: readonly unknown[] = []): Promise<Hex> {
    const { abi, bytecode } = readArtifact(name)
    const receipt = await this.send({ data: encodeDeployData({ abi, bytecode, args }) })
    return receipt.contractAddress
  }

  /** Deploys bare runtime code. */
  async deployCode(code: string): Promise<Hex> {
    const length = (code.length / 2).toString(16).padStart(4, '0')
    const receipt = await this.send({ data: `0x61${length}600e60003961${length}6000f3${code}` })
    return receipt.contractAddress
  }

  trace<T>(hash: Hex, config: object = {}): Promise<T> {
    return this.call<T>('debug_traceTransaction', hash, config)
  }

  stop(): Promise<void> {
    return this.node.stop()
  }
}

/** Encodes the call data of a function of a contract from fixtures/contracts. */
export function inputOf(name: string, functionName: string, args: readonly unknown[] = []): Hex {
  return encodeFunctionData({ abi: readArtifact(name).abi, functionName, args })
}
