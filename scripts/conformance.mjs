import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createInterface } from 'node:readline'
import { prepare, statusOf } from './prepare.mjs'

/**
 * Runs the public conformance suite of the execution clients against a node on its chain. The suite is not part of the
 * project: its directory is STANDIN_CONFORMANCE, or else ../shared/conformance.
 */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const directory = resolve(process.env.STANDIN_CONFORMANCE ?? join(root, '../shared/conformance'))
const runner = join(directory, 'rpc-compat.mjs')
const tests = join(directory, 'execution-apis')

if (!existsSync(runner)) {
  console.log(`Skipped: there is no conformance suite in ${directory} (STANDIN_CONFORMANCE)`)
  console.log('0 passed, 0 failed')
} else {
  await prepare()
  process.exitCode = await runSuite()
}

async function runSuite() {
  const dataDir = await mkdtemp(join(tmpdir(), 'standin-conformance-'))
  const node = startNode(dataDir)
  try {
    const url = await readyUrl(node)
    return await statusOf(process.execPath, [
      runner,
      '--url',
      url,
      '--tests',
      tests,
      ...process.argv.slice(2),
    ])
  } finally {
    const ended = new Promise((settle) => node.once('close', settle))
    if (node.exitCode === null) {
      node.kill('SIGTERM')
      await ended
    }
    await rm(dataDir, { recursive: true, force: true })
  }
}

function startNode(dataDir) {
  const chain = ['--genesis', join(tests, 'genesis.json'), '--import', join(tests, 'chain.rlp')]
  const answers = ['--no-total-difficulty', '--pending-fields', 'geth', '--no-mining']
  const place = ['--port', '0', '--ipfs-port', '0', '--data-dir', dataDir, '--json']
  return spawn(process.execPath, [join(root, 'bin/standin.js'), ...chain, ...answers, ...place], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** Reads the URL from the node's ready line. */
async function readyUrl(node) {
  for await (const line of createInterface({ input: node.stdout })) {
    if (line.startsWith('{')) return JSON.parse(line).url
  }
  throw new Error('the node exited before it was ready')
}
