import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type NodeSettings, OptionError } from '../options.js'
import type { Backend } from '../rpc/backend.js'
import { StateDumpError } from '../rpc/dump/readPart.js'
import { writeDump, writeGenesis } from '../rpc/dump/writeDump.js'
import { errorText } from '../encoding/errorText.js'

/** The parts of a backend whose state is dumped and loaded. */
type KeptBackend = Pick<Backend, 'chain' | 'controls' | 'forks'>

/** Files to dump the state to. */
interface DumpPaths {
  state: string | undefined
  genesis: string | undefined
}

/** Loads the state when a network opens, and dumps it periodically and on close, as configured. */
export class StateKeeper {
  readonly #backend: KeptBackend
  readonly #paths: DumpPaths
  #timer: NodeJS.Timeout | undefined
  /** The periodic dump in progress; two at once would write to the same file. */
  #dumping: Promise<void> | undefined

  private constructor(backend: KeptBackend, paths: DumpPaths) {
    this.#backend = backend
    this.#paths = paths
  }

  /**
   * Loads the state and starts periodic dumps.
   *
   * @param fault - receives failures of periodic dumps
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

  /** Dumps the state one last time. */
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

type StateBackend = Pick<Backend, 'chain' | 'controls'>

/** Resolves a directory to `state.json` inside it, like anvil. */
async function fileOf(path: string): Promise<string> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
  return isFolder ? join(path, 'state.json') : path
}

/**
 * Loads a state dump from a file.
 *
 * @param isOptional - whether the file may be absent
 * @throws OptionError if it cannot be read or is not a dump
 */
async function loadStateFile(
  { chain, controls }: StateBackend,
  { flag, path, isOptional }: { flag: string; path: string; isOptional: boolean },
): Promise<void> {
  const file = await fileOf(path)
  const bytes = await readFile(file).catch((error: unknown) => {
    if (isOptional && error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new OptionError(`${flag}: ${errorText(error)}`)
  })
  if (bytes === undefined) return
  const { readDump } = await import('../rpc/dump/readDump.js')
  try {
    await controls.importState(await readDump(bytes, chain))
  } catch (error) {
    throw error instanceof StateDumpError ? new OptionError(`${flag}: ${error.message}`) : error
  }
}

/** Dumps the state to a file. */
async function dumpStateFile({ chain, controls }: StateBackend, path: string): Promise<void> {
  const file = await fileOf(path)
  await controls.exportState((accounts) => replaceFile(file, writeDump({ view: chain, accounts })))
}

/** Dumps the state to a file as a geth genesis. */
async function dumpGenesisFile(
  { chain, controls, forks }: Pick<Backend, 'chain' | 'controls' | 'forks'>,
  path: string,
): Promise<void> {
  await controls.exportState((accounts) =>
    replaceFile(path, writeGenesis({ view: chain, schedule: forks, accounts })),
  )
}

/** Replaces a file atomically, so that it is never half written. */
async function replaceFile(file: string, content: AsyncIterable<string>): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const unfinished = `${file}.${process.pid}`
  await writeFile(unfinished, content)
  await rename(unfinished, file)
}
