import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createTestClient, http, parseEther, publicActions, walletActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

const root = resolve(import.meta.dirname, '..')

/**
 * Sends a node the requests that a test suite typically starts with: values, a deployment, transfers, calls (one of
 * them reverts), logs, a proof, a trace, controls and a file.
 *
 * @param {{ url: string, ipfsUrl: string, mnemonic: string }} ready - the ready line that the command prints with --json
 */
export async function sendUsualRequests({ url, ipfsUrl, mnemonic }) {
  const client = createTestClient({
    chain: foundry,
    mode: 'anvil',
    account: mnemonicToAccount(mnemonic),
    transport: http(url, { retryCount: 0 }),
    pollingInterval: 10,
  })
    .extend(publicActions)
    .extend(walletActions)
  await readValues(client)
  await useToken(client)
  await useControls(client)
  await keepFile(ipfsUrl)
}

async function readValues(client) {
  const { address } = client.account
  await client.getChainId()
  await client.getBlockNumber()
  await client.getBalance({ address })
  await client.getTransactionCount({ address, blockTag: 'pending' })
  await client.getFeeHistory({ blockCount: 4, rewardPercentiles: [50] })
  await client.getBlock({ includeTransactions: true })
}

async function useToken(client) {
  const path = join(root, 'fixtures/contracts/artifacts/Token.json')
  const { abi, bytecode } = JSON.parse(await readFile(path, 'utf8'))
  const args = ['Example', 'EXA', parseEther('1000')]
  const deployment = await client.deployContract({ abi, bytecode, args })
  const { contractAddress: address } = await client.waitForTransactionReceipt({ hash: deployment })
  const token = { abi, address, functionName: 'transfer' }
  const recipient = `0x${'12'.repeat(20)}`
  let hash
  for (let amount = 1n; amount <= 10n; amount++) {
    hash = await client.writeContract({ ...token, args: [recipient, amount] })
    await client.waitForTransactionReceipt({ hash })
    await client.readContract({ ...token, functionName: 'balanceOf', args: [recipient] })
  }
  await client.getTransaction({ hash })
  await client.getContractEvents({ abi, address, fromBlock: 0n })
  await client.getProof({ address, storageKeys: [`0x${'00'.repeat(32)}`] })
  const tooMuch = { ...token, args: [recipient, parseEther('2000')] }
  await client.simulateContract(tooMuch).catch(() => undefined)
  await client.createAccessList({ account: client.account, to: address, data: '0x18160ddd' })
  await client.request({ method: 'debug_traceTransaction', params: [hash, { tracer: 'callTracer' }] })
}

async function useControls(client) {
  const { address } = client.account
  const id = await client.snapshot()
  await client.setBalance({ address: `0x${'34'.repeat(20)}`, value: 1n })
  await client.increaseTime({ seconds: 10 })
  await client.mine({ blocks: 1 })
  await client.revert({ id })
  const sent = { from: address, to: address, value: '0x1' }
  await client.request({ method: 'eth_sendTransaction', params: [sent] })
}

async function keepFile(ipfsUrl) {
  const form = new FormData()
  form.append('file', new Blob(['a file']), 'file')
  const added = await fetch(`${ipfsUrl}/api/v0/add`, { method: 'POST', body: form })
  const { Hash } = await added.json()
  await (await fetch(`${ipfsUrl}/api/v0/cat?arg=${Hash}`, { method: 'POST' })).arrayBuffer()
}
