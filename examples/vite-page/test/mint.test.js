import { expect, test } from 'standin/vitest'
import { compile } from '../src/compile.js'
import { createClient, deploy, uploadAndMint } from '../src/mint.js'

const contract = compile()

test('a picture is uploaded, described and minted', async ({ node, apiKey }) => {
  const provider = {
    rpcUrl: apiKey.url,
    chainId: node.chainId,
    ipfsUrl: node.ipfsUrl,
    ipfsKey: apiKey.key,
    ipfsSecret: apiKey.secret,
  }
  const client = createClient(provider)
  const address = await deploy(client, contract)
  const picture = new Blob([Uint8Array.of(0x89, 0x50, 0x4e, 0x47)])
  const minted = await uploadAndMint(
    { provider, client, address, abi: contract.abi },
    { picture, title: 'First' },
  )
  const read = (functionName) =>
    client.readContract({ address, abi: contract.abi, functionName, args: [minted.id] })
  expect(await read('ownerOf')).toBe(client.account.address)
  const uri = await read('tokenURI')
  const file = async (of) =>
    fetch(`${node.ipfsUrl}/api/v0/cat?arg=${of.replace('ipfs://', '')}`, { method: 'POST' })
  expect(await (await file(uri)).json()).toEqual({ name: 'First', image: minted.image })
  const stored = new Uint8Array(await (await file(minted.image)).arrayBuffer())
  expect([...stored]).toEqual([0x89, 0x50, 0x4e, 0x47])
})
