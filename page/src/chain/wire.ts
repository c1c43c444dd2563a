/** A block as JSON-RPC has it, with the hashes of its transactions. */
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

/** A transaction as JSON-RPC has it. */
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

/** A log as JSON-RPC has it. */
export interface Log {
  address: string
  topics: string[]
  data: string
}

/** A receipt as JSON-RPC has it. */
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

/** A call as geth's callTracer has it. */
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

/** A step as geth's struct logger has it. */
export interface Step {
  pc: number
  op: string
  depth: number
}

/** An account as geth's prestateTracer has it. */
export interface AccountState {
  balance?: string
  nonce?: number
  code?: string
  storage?: Record<string, string>
}

/** A hexadecimal quantity as a number; for what never exceeds 2^53. */
export function toNumber(quantity: string): number {
  return Number(BigInt(quantity))
}
