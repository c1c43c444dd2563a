import { randomBytes } from 'node:crypto'
import { Session } from 'node:inspector/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { join, relative } from 'node:path'
import { parseGwei } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

/**
 * Requests a proof, a transaction with its receipt and an upload from a warm node, and prints which of its source
 * files run code for each: `{ [request]: string[] }`. The sources must be compiled file by file into `directory`.
 *
 * Usage: node traceRequests.mjs DIRECTORY
 */
const directory = process.argv[2]
const mnemonic = 'test test test test test test test test test test test junk'
const account = mnemonicToAccount(mnemonic)
const { createNode } = await import(pathToFileURL(join(directory, 'index.js')).href)
const node = await createNode({ mnemonic })
const { url: rpcUrl, ipfsUrl } = node
const addUrl = `${ipfsUrl}/api/v0/add`

async function call(method, params) {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = await response.json()
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

const chainId = Number(await call('eth_chainId', []))
let nonce = 0

async function signTransfer() {
  const fees = { maxFeePerGas: parseGwei('10'), maxPriorityFeePerGas: parseGwei('1') }
  const to = `0x${randomBytes(20).toString('hex')}`
  return account.signTransaction({
    type: 'eip1559',
    chainId,
    nonce: nonce++,
    gas: 21_000n,
    to,
    value: 1n,
    ...fees,
  })
}

/** Traced requests: `prepare` builds, untraced, what `ask` sends. */
const requests = {
  eth_getProof: {
    prepare: () => undefined,
    ask: async () => {
      const proof = await call('eth_getProof', [account.address, [`0x${'00'.repeat(32)}`], 'latest'])
      if (proof.accountProof.length === 0) throw new Error('no proof')
    },
  },
  eth_sendRawTransaction: {
    prepare: signTransfer,
    ask: async (raw) => {
      const receipt = await call('eth_getTransactionReceipt', [await call('eth_sendRawTransaction', [raw])])
      if (receipt.status !== '0x1') throw new Error('no receipt')
    },
  },
  '/api/v0/add': {
    prepare: () => {
      const form = new FormData()
      form.append('file', new Blob([randomBytes(1000)]), 'file')
      return form
    },
    ask: async (body) => {
      const response = await fetch(addUrl, { method: 'POST', body })
      if (!(await response.json()).Hash) throw new Error('no hash')
    },
  },
}

const session = new Session()
session.connect()
await session.post('Profiler.enable')

/** Number of repetitions: code that runs in only some of them is not part of the request. */
const repetitions = 6

/** Source files with a function that runs on every request to a warm node. */
async function filesOf(request) {
  await request.ask(await request.prepare())
  let common
  for (let count = 0; count < repetitions; count++) {
    const files = await filesOfOne(request)
    common = common === undefined ? files : common.filter((file) => files.includes(file))
  }
  return common
}

async function filesOfOne({ prepare, ask }) {
  const prepared = await prepare()
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  await ask(prepared)
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  const prefix = pathToFileURL(`${directory}/`).href
  return result
    .filter(
      ({ url, functions }) =>
        url.startsWith(prefix) && functions.some(({ ranges: [{ count }] }) => count > 0),
    )
    .map(({ url }) => relative(directory, fileURLToPath(url)).replace(/\.js$/, '.ts'))
    .sort()
}

const files = {}
for (const [name, request] of Object.entries(requests)) files[name] = await filesOf(request)
console.log(JSON.stringify(files))
await node.stop()
