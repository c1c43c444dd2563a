import type { NodeSettings } from '../options.js'
import type { Backend } from '../rpc/backend.js'
import { dumpStateFile, loadStateFile } from './stateFile.js'

/** Loads the state when a network opens, and dumps it now and then and when it closes, as the options ask. */
export class StateKeeper {
  readonly #backend: Pick<Backend, 'chain' | 'controls'>
  readonly #path: string | undefined
  #timer: NodeJS.Timeout | undefined

  private constructor(backend: Pick<Backend, 'chain' | 'controls'>, path: string | undefined) {
    this.#backend = backend
    this.#path = path
  }

  /**
   * @param fault - told when a dump by the clock fails
   * @throws OptionError if the file to load cannot be used
   */
  static async open(
    backend: Pick<Backend, 'chain' | 'controls'>,
    settings: Pick<NodeSettings, 'dumpState' | 'loadState' | 'state' | 'stateInterval'>,
    fault: (fault: unknown) => void,
  ): Promise<StateKeeper> {
    const { loadState, state, dumpState, stateInterval } = settings
    if (loadState !== undefined) {
      await loadStateFile(backend, { flag: '--load-state', path: loadState, isOptional: false })
    } else if (state !== undefined) {
      await loadStateFile(backend, { flag: '--state', path: state, isOptional: true })
    }
    const keeper = new StateKeeper(backend, dumpState ?? state)
    if (stateInterval !== undefined) keeper.#dumpEvery(stateInterval * 1000, fault)
    return keeper
  }

  /** Dumps the state a last time. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    if (this.#path !== undefined) await dumpStateFile(this.#backend, this.#path)
  }

  #dumpEvery(milliseconds: number, fault: (fault: unknown) => void): void {
    const path = this.#path
    if (path === undefined) return
    this.#timer = setInterval(() => void dumpStateFile(this.#backend, path).catch(fault), milliseconds)
    this.#timer.unref()
  }
}
