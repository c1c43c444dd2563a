import type { EVMResult, EVMRunCallOpts, Message } from '@ethereumjs/evm'
import { Address, generateAddress, type Account } from '@ethereumjs/util'
import { minimalBytes } from '../../encoding/hex.js'
import { create2Address } from '../crypto.js'
import { type Deployment, failedOnDeployment, failureMessage } from '../evm/failure.js'
import type { ForkRules } from '../types.js'
import { callTypes, createTypes } from './opcodes.js'
import type { ExecutionTracer, FrameStart } from './tracer.js'

/** The part of the EVM that the feed needs. */
export interface FeedHost {
  readonly common: ForkRules
  /** What the initcode of the last creation returned and left. */
  readonly deployment: Deployment
  readonly stateManager: { getAccount(address: Address): Promise<Account | undefined> }
}

/** Reports the messages of one EVM to a tracer, from the outermost inwards. */
export class TraceFeed {
  readonly tracer: ExecutionTracer
  /** The running opcode, which causes the next message. */
  opcode = 0
  readonly #host: FeedHost

  constructor(tracer: ExecutionTracer, host: FeedHost) {
    this.tracer = tracer
    this.#host = host
  }

  /** Runs a message, and reports its start and end. */
  async run(options: EVMRunCallOpts, run: () => Promise<EVMResult>): Promise<EVMResult> {
    const { tracer } = this
    if (tracer.enter === undefined && tracer.exit === undefined) return run()
    const { message } = options
    const frame = message === undefined ? await this.#outermost(options) : await this.#inner(message)
    const { depth, input } = frame
    await tracer.enter?.(frame)
    const result = await run()
    const { returnValue: output, executionGasUsed: gasUsed, exceptionError } = result.execResult
    if (exceptionError === undefined) {
      await tracer.exit?.({ depth, output, gasUsed })
      return result
    }
    const isCreation = frame.type === 'CREATE' || frame.type === 'CREATE2'
    const { deployment, common: rules } = this.#host
    const facts = { rules, deployment, initcodeSize: input.length }
    const failure = failureMessage(exceptionError, isCreation ? facts : undefined)
    const returned = isCreation && failedOnDeployment(exceptionError) ? deployment.code : output
    await tracer.exit?.({ depth, output: returned, gasUsed, failure })
    return result
  }

  async #outermost(options: EVMRunCallOpts): Promise<FrameStart> {
    const { caller, to, data, gasLimit = 0n, value = 0n, skipNonceIncrement = false } = options
    const from = caller?.bytes ?? new Uint8Array(20)
    return {
      type: to === undefined ? 'CREATE' : 'CALL',
      depth: 0,
      from,
      to: to?.bytes ?? (await this.#createdBy(from, skipNonceIncrement ? 'last' : 'next')),
      input: data ?? new Uint8Array(0),
      gas: gasLimit,
      value,
    }
  }

  async #inner(message: Message): Promise<FrameStart> {
    const { to, caller, data: input, gasLimit: gas, value, salt, depth } = message
    if (to === undefined) {
      const from = caller.bytes
      const type = createTypes.get(this.opcode) ?? 'CREATE'
      const created =
        salt === undefined ? await this.#createdBy(from, 'last') : create2Address(from, salt, input)
      return { type, depth, from, to: created, input, gas, value }
    }
    const type = callTypes.get(this.opcode) ?? 'CALL'
    const runsForeignCode = type === 'DELEGATECALL' || type === 'CALLCODE'
    const from = runsForeignCode ? to.bytes : caller.bytes
    const shared = { type, depth, from, to: message.codeAddress.bytes, input, gas }
    return type === 'STATICCALL' ? shared : { ...shared, value }
  }

  /** Returns the address of a created account. The creator's nonce is already incremented, or will be. */
  async #createdBy(creator: Uint8Array, which: 'last' | 'next'): Promise<Uint8Array> {
    const nonce = (await this.#host.stateManager.getAccount(new Address(creator)))?.nonce ?? 0n
    return generateAddress(creator, minimalBytes(BigInt.asUintN(64, which === 'last' ? nonce - 1n : nonce)))
  }
}
