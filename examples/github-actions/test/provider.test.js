import assert from 'node:assert/strict'
import { test } from 'node:test'

const { RPC_URL, IPFS_API_URL, IPFS_API_KEY, IPFS_API_SECRET, CHAIN_ID } = process.env

test('the provider serves the chain that CI configured', async () => {
  const response = await fetch(RPC_URL, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' }),
  })
  assert.equal(Number((await response.json()).result), Number(CHAIN_ID))
})

test('files are stored with the credentials of CI', async () => {
  const form = new FormData()
  form.append('file', new Blob(['hello\n']))
  const response = await fetch(`${IPFS_API_URL}/api/v0/add`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${IPFS_API_KEY}:${IPFS_API_SECRET}`)}` },
    body: form,
  })
  assert.equal((await response.json()).Hash, 'QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN')
})
