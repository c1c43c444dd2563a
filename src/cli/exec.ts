import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { withKey } from '../fixture/nodeClient.js'
import { createProviderControls } from '../fixture/createProviderControls.js'
import { type RunningNode, startNode } from '../node.js'
import { OptionError } from '../options.js'
import { readCommandSettings } from './commandSettings.js'

/** How a command ended. */
type Ending = { status: number } | { signal: NodeJS.Signals }

/** Signals that ask this process to stop, forwarded to the command. */
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Shell exit statuses for a command that does not exist, or cannot be run (POSIX, 2.8.2). */
const NOT_FOUND = 127
const NOT_EXECUTABLE = 126

/**
 * `standin exec [options] -- COMMAND`: runs a command with a node of its own on free ports.
 *
 * The command finds the node through its environment: RPC_URL, WS_URL, CHAIN_ID, IPFS_API_URL, IPFS_API_KEY and
 * IPFS_API_SECRET. It has the terminal to itself; the node prints only warnings and errors.
 *
 * @returns the command's exit status; a signal that ends the command ends this process too
 * @throws OptionError
 */
export async function runExec(words: readonly string[]): Promise<number> {
  const separator = words.indexOf('--')
  const [command, ...parameters] = separator < 0 ? [] : words.slice(separator + 1)
  if (command === undefined) throw new OptionError('exec: expected -- and a command after it')
  const settings = await readCommandSettings(['--port=0', '--ipfs-port=0', ...words.slice(0, separator)])
  const node = await startNode(settings, {
    warn: (message) => process.stderr.write(`Warning: ${message}\n`),
    fault: (place, fault) => process.stderr.write(`Error in ${place}: ${String(fault)}\n`),
  })
  const ending = await runWith(environmentOf(node), command, parameters).finally(node.stop)
  if ('status' in ending) return ending.status
  process.kill(process.pid, ending.signal)
  return 128 + constants.signals[ending.signal]
}

function environmentOf({ urls, network, provider }: RunningNode): Record<string, string> {
  const { key, secret } = createProviderControls(provider).keys.add()
  return {
    RPC_URL: withKey(urls.url, key),
    WS_URL: withKey(urls.wsUrl, key),
    CHAIN_ID: String(network.chainId),
    IPFS_API_URL: urls.ipfsUrl,
    IPFS_API_KEY: key,
    IPFS_API_SECRET: secret,
  }
}

function runWith(
  environment: Record<string, string>,
  command: string,
  parameters: readonly string[],
): Promise<Ending> {
  return new Promise((resolve) => {
    const child = spawn(command, parameters, { stdio: 'inherit', env: { ...process.env, ...environment } })
    const forwarding = forwarded.map((signal) => {
      // A terminal sends its interrupt to the command directly: do not send it twice.
      const forward = (): void =>
        void (signal === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(signal))
      process.on(signal, forward)
      return () => process.off(signal, forward)
    })
    const end = (ending: Ending): void => {
      for (const stop of forwarding) stop()
      resolve(ending)
    }
    child.once('error', (error: NodeJS.ErrnoException) => {
      process.stderr.write(`standin exec: ${command}: ${error.message}\n`)
      end({ status: error.code === 'ENOENT' ? NOT_FOUND : NOT_EXECUTABLE })
    })
    child.once('exit', (status, signal) => end(signal === null ? { status: status ?? 0 } : { signal }))
  })
}
