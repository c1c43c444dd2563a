import { expect, test } from 'standin/vitest'
import { createWalletClient, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { compile } from '../contracts/compile.js'

const { abi, bytecode } = compile('Guestbook')

/** Creates a client with a funded account and deploys the contract. */
async function setUp(node) {
  const client = createWalletClient({
    account: privateKeyToAccount(node.accounts[0].privateKey),
    chain: foundry,
    pollingInterval: 10,
    transport: http(node.url),
  }).extend(publicActions)
  const { contractAddress: address } = await client.waitForTransactionReceipt({
    hash: await client.deployContract({ abi, bytecode }),
  })
  const sign = async (uri) =>
    client.waitForTransactionReceipt({
      hash: await client.writeContract({ address, abi, functionName: 'sign', args: [uri] }),
    })
  const read = (functionName, args = []) => client.readContract({ address, abi, functionName, args })
  return { address, client, sign, read }
}

/** Uploads a text to IPFS. */
async function upload(node, text) {
  const form = new FormData()
  form.append('file', new Blob([text]))
  const response = await fetch(`${node.ipfsUrl}/api/v0/add`, { method: 'POST', body: form })
  return (await response.json()).Hash
}

test('an entry refers to a file that everyone can read', async ({ node }) => {
  const { sign, read } = await setUp(node)
  await sign(`ipfs://${await upload(node, 'I was here\n')}`)
  const uri = await read('entries', [0n])
  const cid = uri.replace('ipfs://', '')
  const response = await fetch(`${node.ipfsUrl}/api/v0/cat?arg=${cid}`, { method: 'POST' })
  expect(await response.text()).toBe('I was here\n')
})

test('every test starts with a new chain', async ({ node }) => {
  expect(await node.request('eth_blockNumber')).toBe('0x0')
})

test('a guest may sign again after a day', async ({ node }) => {
  const { sign, read } = await setUp(node)
  await sign('ipfs://first')
  await expect(sign('ipfs://second')).rejects.toThrow('TooSoon')
  await node.clock.increase(86_400)
  await node.mine()
  await sign('ipfs://second')
  expect(await read('count')).toBe(2n)
})

test('returns the events of the guestbook', async ({ node }) => {
  const { address, client, sign } = await setUp(node)
  await sign('ipfs://first')
  const [event] = await client.getContractEvents({ address, abi, eventName: 'Signed', fromBlock: 0n })
  expect(event.args).toEqual({ guest: client.account.address, index: 0n, uri: 'ipfs://first' })
})
