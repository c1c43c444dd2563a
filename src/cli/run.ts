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

A local stand-in for a hosted Ethereum node and file network. Options may also be given as environment variables
and, by their camel-case names, in a JSON file (--config).

`

/** Exit status for what the user can mend: an unknown flag, a bad value, a port that is taken. */
const misuse = 2

/** The subcommands, loaded when one is asked for. Each resolves to its exit status. */
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

/** Prints text that has its newlines. @returns the exit status of success */
function write(text: string): number {
  process.stdout.write(text)
  return 0
}

/**
 * Runs the command until it is told to stop.
 *
 * @param whenStarted told when a node that was asked for has started.
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
    return misuse
  }
}

async function serve(settings: CommandSettings, whenStarted: () => void): Promise<void> {
  const stopping = untilToldToStop({ parentPid: settings.parentPid })
  const node = await startNode(settings, createHooks(settings))
  if (settings.configOut !== undefined) await writeConfigFile(settings.configOut, node, settings)
  announce(settings, node)
  whenStarted()
  await stopping
  await node.stop()
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
    tell: (_, text) => print(text),
    colours: settings.color === 'always' || (settings.color === 'auto' && process.stdout.isTTY === true),
    failure: (call) => print(formatFailureLine(call, showNetwork)),
  }
}

function announce(settings: CommandSettings, node: RunningNode): void {
  if (settings.json) print(formatReadyLine(settings, node))
  else if (!settings.quiet) print(formatBanner(settings, node))
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function warn(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** How often the parent process is looked for. */
const parentInterval = 250

/** Longest time that a stop may take before the process ends without it. */
const patience = 1800

/**
 * Resolves at the first signal to stop, or when the parent process is gone.
 *
 * A second signal ends the process at once, and so does a stop that takes too long: what was acknowledged is on the
 * disk already.
 */
export function untilToldToStop({ parentPid }: { parentPid: number | undefined }): Promise<void> {
  return new Promise((resolve) => {
    let told = false
    const stop = (): void => {
      if (told) process.exit(0)
      told = true
      setTimeout(() => process.exit(0), patience).unref()
      resolve()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
    // A reader of the output that goes away is no reason to fail.
    process.stdout.on('error', () => undefined)
    if (parentPid === undefined) return
    const watch = setInterval(() => {
      if (isAlive(parentPid)) return
      clearInterval(watch)
      stop()
    }, parentInterval)
    watch.unref()
  })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: a process of another user, and alive.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
