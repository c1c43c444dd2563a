import { type Awaitable, Mutex } from '../encoding/timeSlice.js'
import type { Result } from '../rpc/method.js'
import type { CallInterceptor } from '../rpc/pipeline.js'
import type { AnswerCounts, Cassette, CassetteFile, CassetteOptions, ReplayMode } from './cassette.js'
import type { EntryPage, EntryQuery } from './entryList.js'
import type { AnswerFiles, FileReply, FileRequest } from './files.js'
import type { AskRemote, RemoteOutcome, RemoteRead } from './forkReads.js'
import type { AnswerCall, CassetteCall } from './rpcMatching.js'

/** Options to start a cassette with. */
export type CassetteStart = Omit<CassetteOptions, 'describeTransaction'>

/** State of the cassette in use, for display. */
export interface CassetteState {
  state: 'none' | 'recording' | 'replaying'
  path?: string
  /** How unrecorded requests are answered, while replaying. */
  mode?: ReplayMode
  /** Numbers of calls and file requests, by who answered. */
  answers?: AnswerCounts
  file?: CassetteFile
}

/** Methods that drive a node. In-process calls are those of a test to its own node. */
const controls = /^(?:anvil|evm|ganache|hardhat|miner|personal|standin|tenderly)_/

/** The node's cassette in use, if any. The code for cassettes is loaded with the first one. */
export class CurrentCassette {
  #cassette: Cassette | undefined
  /** Closes one cassette before the next is opened. */
  readonly #mutex = new Mutex()

  /** Whether requests go to a cassette. */
  get isActive(): boolean {
    return this.#cassette !== undefined
  }

  /** @throws RpcError */
  call(call: CassetteCall, own: AnswerCall): Awaitable<Result> {
    return this.#cassette === undefined ? own() : this.#cassette.call(call, own)
  }

  /** Returns an interceptor through which the cassette answers a network's calls, except those that drive this node. */
  interceptorOf(network: string): CallInterceptor {
    return {
      cassette: this,
      answer: ({ method, params, context }, own, batch) => {
        const { transport, subscriptions } = context
        const isControl = (context.caller as { control?: boolean } | undefined)?.control === true
        if (isControl || (transport === 'in-process' && controls.test(method))) return own()
        return this.call({ network, method, params, transport, subscriptions, batch }, own)
      },
    }
  }

  files(request: FileRequest, own: AnswerFiles): Promise<FileReply> {
    return this.#cassette === undefined ? own(request) : this.#cassette.files(request, own)
  }

  remote(read: RemoteRead, ask: AskRemote): Promise<RemoteOutcome> {
    return this.#cassette === undefined ? ask() : this.#cassette.remote(read, ask)
  }

  describe(): CassetteState {
    if (this.#cassette === undefined) return { state: 'none' }
    const { path, mode, answers, file } = this.#cassette
    return {
      state: mode === undefined ? 'recording' : 'replaying',
      path,
      ...(mode && { mode }),
      answers: { ...answers },
      file,
    }
  }

  /** Lists entries of the cassette in use; none without one. */
  async list(query: EntryQuery): Promise<EntryPage> {
    return this.#cassette === undefined ? { entries: [] } : this.#cassette.list(query)
  }

  /**
   * Starts recording or replaying; a cassette in use is ended first.
   *
   * @throws CassetteError if the file cannot be used
   */
  async start(options: CassetteStart): Promise<void> {
    const [{ openCassette }, { readTransactionEffect }] = await Promise.all([
      import('./cassette.js'),
      import('../chain/mempool/transaction.js'),
    ])
    await this.#mutex.run(async () => {
      await this.#end()
      this.#cassette = await openCassette({ ...options, describeTransaction: readTransactionEffect })
    })
  }

  /** Ends the cassette in use. @returns its last state */
  stop(): Promise<CassetteState> {
    return this.#mutex.run(() => this.#end())
  }

  async #end(): Promise<CassetteState> {
    const state = this.describe()
    const ended = this.#cassette
    this.#cassette = undefined
    await ended?.close()
    return state
  }
}
