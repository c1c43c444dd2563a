import { once } from 'node:events'
import type { Awaitable } from '../encoding/timeSlice.js'
import { type NodeHooks, type RunningNode, startNode } from '../node.js'
import { type CommandSettings, optionDefinitions } from '../options.js'
import { formatHelp } from '../options/help.js'
import { version } from '../version.js'
import { formatBanner, formatBlockLine, formatFailureLine, formatReadyLine } from './banner.js'
import { isUserError, readCommandSettings, writeConfigFile } from './commandSettings.js'
import { createImportBar } from './importBar.js'

const usage = `Usage: standin [options]
       standin export --data-dir DIR FILE
       standin pack DIR FILE
       standin verify --data-dir DIR
       standin prune --data-dir DIR --keep N
       standin exec [options] -- COMMAND
       standin cassette show|diff|prune FILE

A local stand-in for a hosted Ethereum node and file network. Options can also be set by environment variables and,
under their camel-case names, in a JSON file (--config).

`

/** Exit status for what the user can fix: an unknown flag, a bad value, a port in use. */
const EXIT_USAGE = 2

/** Subcommands, loaded on demand. Each resolves to its exit status. */
const subcommands = new Map<string | undefined, (words: readonly string[]) => Promise<number>>([
  ['export', async (words) => write(await (await import('./export.js')).runExport(words))],
  ['pack', async (words) => write(await (await import('./pack.js')).runPack(words))],
  ['verify', async (words) => (await import('./verify.js')).runVerify(words, write)],
  ['prune', async (words) => write(await (await import('./prune.js')).runPrune(words))],
  [
    'cassette',
    async (words) => {
      for await (const text of (await import('./cassette.js')).runCassette(words)) write(text)
      return 0
    },
  ],
  ['exec', async (words) => (await import('./exec.js')).runExec(words)],
])

/** Prints text that includes its newlines. @returns the exit status of success */
function write(text: string): number {
  process.stdout.write(text)
  return 0
}

/**
 * Runs the command until it is told to stop.
 *
 * @param whenStarted - called once the node, if one was requested, has started
 * @returns the exit status
 */
export async function runCommand(words: readonly string[], whenStarted: () => void): Promise<number> {
  try {
    const run = subcommands.get(words[0])
    if (run !== undefined) return await run(words.slice(1))
    const settings = await readCommandSettings(words)
    if (settings.help) print(usage + formatHelp(optionDefinitions))
    else if (settings.version) print(version)
    else await serve(settings, whenStarted)
    return 0
  } catch (error) {
    if (!isUserError(error)) throw error
    warn(`standin: ${error.message}`)
    return EXIT_USAGE
  }
}

async function serve(settings: CommandSettings, whenStarted: () => void): Promise<void> {
  const stopping = untilStopRequested({ parentPid: settings.parentPid })
  const node = await startNode(settings, createHooks(settings))
  if (settings.configOut !== undefined) await writeConfigFile(settings.configOut, node, settings)
  announce(settings, node)
  whenStarted()
  const timer = await stopping
  if ((settings.state ?? settings.dumpState ?? settings.dumpGenesis) !== undefined) {
    // The state is written to these files only now. However long that takes, it must not be cut off.
    clearTimeout(timer)
    await node.stop()
    endLater()
  } else await node.stop()
}

function createHooks(settings: CommandSettings): NodeHooks {
  const faults: NodeHooks = {
    warn: (message) => warn(`Warning: ${message}`),
    fault: (place, fault) =>
      warn(`Error in ${place}: ${fault instanceof Error ? fault.stack : String(fault)}`),
  }
  if (settings.quiet || settings.json) return faults
  const showNetwork = settings.network.length > 0
  const importing = createImportBar(process.stdout)
  return {
    ...faults,
    ...(importing && { importing }),
    block: (network, block) => print(formatBlockLine(block, showNetwork ? network : undefined)),
    tell: (_, text) => printed(text),
    colours: settings.color === 'always' || (settings.color === 'auto' && process.stdout.isTTY === true),
    failure: (call) => print(formatFailureLine(call, { showNetwork })),
  }
}

function announce(settings: CommandSettings, node: RunningNode): void {
  if (settings.json) print(formatReadyLine(settings, node))
  else if (!settings.quiet) print(formatBanner(settings, node))
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Prints a text; resolves once its reader has kept up. */
function printed(text: string): Awaitable<void> {
  if (!process.stdout.write(`${text}\n`)) return once(process.stdout, 'drain').then(() => undefined)
}

function warn(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Milliseconds between checks of the parent process. */
const PARENT_INTERVAL = 250

/** Milliseconds after which the process ends even if the node has not stopped. */
const SHUTDOWN_TIMEOUT = 1800

/**
 * Resolves at the first signal to stop, or when the parent process is gone.
 *
 * A second signal, or a stop that takes too long, ends the process at once: all acknowledged data is already on disk.
 *
 * @returns the timer that ends the process
 */
function untilStopRequested({ parentPid }: { parentPid: number | undefined }): Promise<NodeJS.Timeout> {
  return new Promise((resolve) => {
    let stopRequested = false
    const stop = (): void => {
      if (stopRequested) process.exit(0)
      stopRequested = true
      resolve(endLater())
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
    // A closed pipe on the output is not an error.
    process.stdout.on('error', () => undefined)
    if (parentPid === undefined) return
    const watch = setInterval(() => {
      if (isAlive(parentPid)) return
      clearInterval(watch)
      stop()
    }, PARENT_INTERVAL)
    watch.unref()
  })
}

/** Ends the process after a while, unless it has nothing more to do before. */
function endLater(): NodeJS.Timeout {
  return setTimeout(() => process.exit(0), SHUTDOWN_TIMEOUT).unref()
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: alive, and another user's process.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
