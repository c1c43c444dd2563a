import { Mutex } from '../encoding/timeSlice.js'
import type { Result } from '../rpc/method.js'
import type { CallInterceptor } from '../rpc/pipeline.js'
import type { AnswerCounts, Cassette, CassetteFile, CassetteOptions } from './cassette.js'
import type { EntryPage, EntryQuery } from './entryList.js'
import type { AnswerFiles, FileReply, FileRequest } from './files.js'
import type { AskRemote, RemoteOutcome, RemoteRead } from './forkReads.js'
import type { AnswerCall, CassetteCall } from './rpcMatching.js'

/** What a cassette is started with. */
export type CassetteStart = Omit<CassetteOptions, 'describeTransaction'>

/** The cassette in use, as it is shown. */
export interface CassetteState {
  state: 'none' | 'recording' | 'replaying'
  path?: string
  /** How requests that were not recorded are answered, while replaying. */
  mode?: 'strict' | 'once' | 'loose'
  /** Who answered how many calls and file requests. */
  answers?: AnswerCounts
  file?: CassetteFile
}

/** Methods that drive a node. Calls in process are those of a test to its own node. */
const controls = /^(?:anvil|evm|ganache|hardhat|miner|personal|standin|tenderly)_/

/** The cassette that is in use in a node, if there is one. The code of cassettes is loaded with the first one. */
export class CurrentCassette {
  #cassette: Cassette | undefined
  /** One cassette is closed before the next one is opened. */
  readonly #mutex = new Mutex()

  /** Whether requests go to a cassette. */
  get isActive(): boolean {
    return this.#cassette !== undefined
  }

  /** @throws RpcError */
  call(call: CassetteCall, own: AnswerCall): Result | Promise<Result> {
    return this.#cassette === undefined ? own() : this.#cassette.call(call, own)
  }

  /** Lets the cassette answer the calls of a network, but for those that drive this node. */
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

  /** Entries of the cassette in use; none without one. */
  async list(query: EntryQuery): Promise<EntryPage> {
    return this.#cassette === undefined ? { entries: [] } : this.#cassette.list(query)
  }

  /**
   * Begins to record or to replay; a cassette in use is ended first.
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

  /** Ends the cassette in use. @returns what it was */
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
