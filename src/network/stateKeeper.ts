import type { NodeSettings } from '../options.js'
import type { Backend } from '../rpc/backend.js'
import { dumpGenesisFile, dumpStateFile, loadStateFile } from './stateFile.js'

/** What the state of a network is read from and loaded into. */
type KeptBackend = Pick<Backend, 'chain' | 'controls' | 'forks'>

/** The files that the state is dumped into. */
interface DumpPaths {
  state: string | undefined
  genesis: string | undefined
}

/** Loads the state when a network opens, and dumps it now and then and when it closes, as the options ask. */
export class StateKeeper {
  readonly #backend: KeptBackend
  readonly #paths: DumpPaths
  #timer: NodeJS.Timeout | undefined
  /** The dump by the clock that is under way: two at once would write into one file. */
  #dumping: Promise<void> | undefined

  private constructor(backend: KeptBackend, paths: DumpPaths) {
    this.#backend = backend
    this.#paths = paths
  }

  /**
   * @param fault - told when a dump by the clock fails
   * @throws OptionError if the file to load cannot be used
   */
  static async open(
    backend: KeptBackend,
    settings: Pick<NodeSettings, 'dumpGenesis' | 'dumpState' | 'loadState' | 'state' | 'stateInterval'>,
    fault: (fault: unknown) => void,
  ): Promise<StateKeeper> {
    const { loadState, state, dumpState, stateInterval } = settings
    if (loadState !== undefined) {
      await loadStateFile(backend, { flag: '--load-state', path: loadState, isOptional: false })
    } else if (state !== undefined) {
      await loadStateFile(backend, { flag: '--state', path: state, isOptional: true })
    }
    const keeper = new StateKeeper(backend, { state: dumpState ?? state, genesis: settings.dumpGenesis })
    if (stateInterval !== undefined) keeper.#dumpEvery(stateInterval * 1000, fault)
    return keeper
  }

  /** Dumps the state a last time. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#dumping
    const { state, genesis } = this.#paths
    if (state !== undefined) await dumpStateFile(this.#backend, state)
    if (genesis !== undefined) await dumpGenesisFile(this.#backend, genesis)
  }

  #dumpEvery(milliseconds: number, fault: (fault: unknown) => void): void {
    const path = this.#paths.state
    if (path === undefined) return
    this.#timer = setInterval(() => {
      this.#dumping ??= dumpStateFile(this.#backend, path)
        .catch(fault)
        .finally(() => {
          this.#dumping = undefined
        })
    }, milliseconds)
    this.#timer.unref()
  }
}
