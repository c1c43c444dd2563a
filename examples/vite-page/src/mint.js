import { createWalletClient, defineChain, http, publicActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { upload } from './upload.js'

/** Funded accounts of the node. */
const mnemonic = 'test test test test test test test test test test test junk'

/** Creates a client that signs with the first funded account. On a real chain a wallet would sign. */
export function createClient({ rpcUrl, chainId }) {
  const chain = defineChain({
    id: chainId,
    name: 'Standin',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })
  const account = mnemonicToAccount(mnemonic)
  return createWalletClient({ account, chain, transport: http(), pollingInterval: 50 }).extend(publicActions)
}

/** Deploys the contract. @returns its address */
export async function deploy(client, { abi, bytecode }) {
  const hash = await client.deployContract({ abi, bytecode })
  return (await client.waitForTransactionReceipt({ hash })).contractAddress
}

/** Uploads a picture and its description, and mints a token for it. @returns the token's id and URI */
export async function uploadAndMint({ provider, client, address, abi }, { picture, title }) {
  const image = await upload(provider, picture)
  const uri = await upload(provider, new Blob([JSON.stringify({ name: title, image })]))
  const { request, result: id } = await client.simulateContract({
    account: client.account,
    address,
    abi,
    functionName: 'mint',
    args: [uri],
  })
  await client.waitForTransactionReceipt({ hash: await client.writeContract(request) })
  return { id, uri, image }
}
