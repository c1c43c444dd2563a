/** Block in JSON-RPC form, with transaction hashes. */
export interface Block {
  number: string
  hash: string
  parentHash: string
  timestamp: string
  gasUsed: string
  gasLimit: string
  baseFeePerGas?: string
  miner: string
  stateRoot: string
  transactionsRoot: string
  receiptsRoot: string
  size: string
  extraData: string
  transactions: string[]
  [name: string]: unknown
}

/** Transaction in JSON-RPC form. */
export interface Transaction {
  hash: string
  blockNumber: string | null
  blockHash: string | null
  transactionIndex: string | null
  from: string
  to: string | null
  value: string
  gas: string
  gasPrice?: string
  maxFeePerGas?: string
  maxPriorityFeePerGas?: string
  nonce: string
  input: string
  type: string
}

/** Log in JSON-RPC form. */
export interface Log {
  address: string
  topics: string[]
  data: string
}

/** Receipt in JSON-RPC form. */
export interface Receipt {
  transactionHash: string
  transactionIndex: string
  blockNumber: string
  from: string
  to: string | null
  contractAddress: string | null
  status?: string
  gasUsed: string
  effectiveGasPrice: string
  logs: Log[]
}

/** Call frame of geth's callTracer. */
export interface CallFrame {
  type: string
  from: string
  to?: string
  value?: string
  gas: string
  gasUsed: string
  input: string
  output?: string
  error?: string
  revertReason?: string
  calls?: CallFrame[]
}

/** Step of geth's struct logger. */
export interface Step {
  pc: number
  op: string
  depth: number
}

/** Account of geth's prestateTracer. */
export interface AccountState {
  balance?: string
  nonce?: number
  code?: string
  storage?: Record<string, string>
}

/** Converts a hexadecimal quantity that never exceeds 2^53. */
export function toNumber(quantity: string): number {
  return Number(BigInt(quantity))
}
