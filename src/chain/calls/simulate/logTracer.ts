import { hexToBytes } from '../../../encoding/hex.js'
import { bigintToBytes } from '../../../encoding/quantity.js'
import type { ExecutionTracer, FrameEnd, FrameStart } from '../../tracing/tracer.js'
import type { ExecutionLog } from '../../types.js'
import type { SimulatedLog } from './request.js'

/** The address that transfers of ether are shown under. */
const TRANSFER_ADDRESS = new Uint8Array(20).fill(0xee)
/** ERC-20: Transfer(address,address,uint256). */
const TRANSFER_TOPIC = hexToBytes('ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')

/**
 * Collects the logs of a block's calls and, if asked for, transfers of ether as logs (geth:
 * internal/ethapi/logtracer.go).
 */
export class LogTracer implements ExecutionTracer {
  readonly #withTransfers: boolean
  /** The logs of each open frame. */
  #frames: SimulatedLog[][] = []
  #logs: SimulatedLog[] = []
  #next = 0

  constructor({ withTransfers }: { withTransfers: boolean }) {
    this.#withTransfers = withTransfers
  }

  /** The logs of the last call. */
  get logs(): readonly SimulatedLog[] {
    return this.#logs
  }

  enter({ type, from, to, value = 0n }: FrameStart): void {
    this.#frames.push([])
    if (!this.#withTransfers || value === 0n || type === 'DELEGATECALL' || type === 'CALLCODE') return
    const topics = [TRANSFER_TOPIC, padAddress(from), padAddress(to)]
    this.log({ address: TRANSFER_ADDRESS, topics, data: bigintToBytes(value, 32) })
  }

  exit({ failure }: FrameEnd): void {
    const own = this.#frames.pop() ?? []
    const kept = failure === undefined ? own : []
    // They are the latest, so that their indices are free again.
    if (failure !== undefined) this.#next -= own.length
    const around = this.#frames.at(-1)
    if (around === undefined) this.#logs = kept
    else around.push(...kept)
  }

  log({ address, topics, data }: ExecutionLog): void {
    this.#frames.at(-1)?.push({ address, topics, data: data.slice(), index: this.#next++ })
  }
}

function padAddress(address: Uint8Array): Uint8Array {
  const topic = new Uint8Array(32)
  topic.set(address, 12)
  return topic
}
