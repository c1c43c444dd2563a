import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Contract,
  ContractFactory,
  JsonRpcProvider,
  Wallet,
  WebSocketProvider,
  isCallException,
  parseEther,
} from 'ethers'
import { create } from 'kubo-rpc-client'
import {
  type BaseError,
  ContractFunctionRevertedError,
  type Hex,
  createWalletClient,
  http,
  parseEther as viemParseEther,
  parseEventLogs,
  publicActions,
  webSocket,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { expect } from 'vitest'
import { readArtifact } from '../support/artifacts.js'
import { until } from '../support/until.js'

const token = readArtifact('Token')
const reverter = readArtifact('Reverter')
const recipient = '0x00000000000000000000000000000000000c0ffe'

/** The URLs of a suite's node. */
export interface Urls {
  url: string
  wsUrl: string
}

/** A self-contained test whose expectations do not depend on concurrent flows. */
export type Flow = (urls: Urls, privateKey: Hex) => Promise<void>

const viemFlow =
  (transport: 'http' | 'batch' | 'webSocket'): Flow =>
  async ({ url, wsUrl }, privateKey) => {
    const client = createWalletClient({
      account: privateKeyToAccount(privateKey),
      chain: foundry,
      transport:
        transport === 'webSocket'
          ? webSocket(wsUrl, { reconnect: false })
          : http(url, { batch: transport === 'batch', retryCount: 0 }),
      pollingInterval: 20,
    }).extend(publicActions)
    const numbers: bigint[] = []
    const unwatch = client.watchBlocks({
      // viem passes no block if its WebSocket closed before it could fetch it.
      onBlock: (block?: { number: bigint }) => void (block && numbers.push(block.number)),
    })
    if (transport === 'webSocket') await sleep(50)
    expect(await client.getChainId()).toBe(31337)
    const hash = await client.deployContract({ ...token, args: ['Gold', 'GLD', 1000n] })
    const { status, contractAddress } = await client.waitForTransactionReceipt({ hash })
    expect(status).toBe('success')
    const address = contractAddress as Hex
    const contract = { address, abi: token.abi } as const
    const sent = await client.writeContract({
      ...contract,
      functionName: 'transfer',
      args: [recipient, 250n],
    })
    const receipt = await client.waitForTransactionReceipt({ hash: sent })
    expect(parseEventLogs({ abi: token.abi, logs: receipt.logs })).toMatchObject([
      {
        eventName: 'Transfer',
        args: { to: expect.stringMatching(/c0ffe$/i) as string, value: 250n },
        transactionHash: sent,
      },
    ])
    const [mine, theirs, block] = await Promise.all([
      client.readContract({ ...contract, functionName: 'balanceOf', args: [client.account.address] }),
      client.readContract({ ...contract, functionName: 'balanceOf', args: [recipient] }),
      client.getBlock({ blockHash: receipt.blockHash }),
    ])
    expect([mine, theirs]).toEqual([750n, 250n])
    expect(block.transactions).toContain(sent)
    const failure = await client
      .simulateContract({ ...contract, functionName: 'transfer', args: [recipient, 5000n] })
      .catch((error: unknown) => error)
    const revert = (failure as BaseError).walk((error) => error instanceof ContractFunctionRevertedError)
    expect((revert as ContractFunctionRevertedError).data?.errorName).toBe('ERC20InsufficientBalance')
    const poor = client.sendTransaction({ to: recipient, value: viemParseEther('1000000'), gas: 21000n })
    await expect(poor).rejects.toThrow()
    await until(() => numbers.length > 0)
    unwatch()
    if (transport === 'webSocket')
      (
        await (client.transport as { getRpcClient?: () => Promise<{ close(): void }> }).getRpcClient?.()
      )?.close()
  }

const ethersFlow =
  (transport: 'http' | 'webSocket'): Flow =>
  async ({ url, wsUrl }, privateKey) => {
    // ethers caches answers for 250 ms, and would reuse a nonce with a fast node.
    const options = { cacheTimeout: -1 }
    const provider =
      transport === 'http'
        ? new JsonRpcProvider(url, undefined, options)
        : new WebSocketProvider(wsUrl, undefined, options)
    if (provider instanceof JsonRpcProvider) provider.pollingInterval = 20
    const wallet = new Wallet(privateKey, provider)
    const heads: number[] = []
    await provider.on('block', (number: number) => void heads.push(number))
    const factory = new ContractFactory(token.abi as never, token.bytecode, wallet)
    const deployed = (await factory.deploy('Gold', 'GLD', 1000n)) as Contract
    await deployed.waitForDeployment()
    const sent = (await deployed.getFunction('transfer')(recipient, 250n)) as {
      hash: string
      wait(): Promise<unknown>
    }
    expect(await sent.wait()).toMatchObject({ status: 1, hash: sent.hash })
    const balances = await Promise.all(
      [wallet.address, recipient].map(
        (holder) => deployed.getFunction('balanceOf')(holder) as Promise<bigint>,
      ),
    )
    expect(balances).toEqual([750n, 250n])
    const reverting = (await new ContractFactory(
      reverter.abi as never,
      reverter.bytecode,
      wallet,
    ).deploy()) as Contract
    await reverting.waitForDeployment()
    const failure: unknown = await deployed
      .getFunction('transfer')
      .staticCall(recipient, 5000n)
      .catch((error: unknown) => error)
    expect(isCallException(failure) && failure.revert?.name).toBe('ERC20InsufficientBalance')
    const logs = await deployed.queryFilter('Transfer', 0)
    expect(logs.at(-1)?.transactionHash).toBe(sent.hash)
    const poor = wallet.sendTransaction({ to: recipient, value: parseEther('1000000'), gasLimit: 21000n })
    await expect(poor).rejects.toMatchObject({ code: 'INSUFFICIENT_FUNDS' })
    await until(() => heads.length > 0)
    await provider.removeAllListeners()
    // Answered after the unsubscription.
    await provider.send('eth_chainId', [])
    await provider.destroy()
  }

/** Returns the flow of ethers 5 from test/peers; undefined if it is not installed. */
export async function ethers5Flow(): Promise<
  ((transport: 'http' | 'batch' | 'webSocket') => Flow) | undefined
> {
  const { createRequire } = await import('node:module')
  const require = createRequire(new URL('../peers/package.json', import.meta.url))
  let ethers5: Ethers5
  try {
    ethers5 = require('ethers5') as Ethers5
  } catch {
    return undefined
  }
  const { providers, Wallet: Wallet5, ContractFactory: Factory5 } = ethers5.ethers
  return (transport) =>
    async ({ url, wsUrl }, privateKey) => {
      const provider =
        transport === 'webSocket'
          ? new providers.WebSocketProvider(wsUrl)
          : transport === 'batch'
            ? new providers.JsonRpcBatchProvider(url)
            : new providers.JsonRpcProvider(url)
      if (transport !== 'webSocket') provider.pollingInterval = 20
      const wallet = new Wallet5(privateKey, provider)
      const deployed = await new Factory5(token.abi, token.bytecode, wallet).deploy('Gold', 'GLD', 1000)
      await deployed.deployed()
      const sent = await deployed.transfer(recipient, 250)
      expect(await sent.wait()).toMatchObject({ status: 1, transactionHash: sent.hash })
      const balances = await Promise.all(
        [wallet.address, recipient].map((holder) => deployed.balanceOf(holder)),
      )
      expect(balances.map(String)).toEqual(['750', '250'])
      await expect(deployed.callStatic.transfer(recipient, 5000)).rejects.toMatchObject({
        code: 'CALL_EXCEPTION',
      })
      const poor = wallet.sendTransaction({ to: recipient, value: `1${'0'.repeat(24)}`, gasLimit: 21000 })
      await expect(poor).rejects.toMatchObject({ code: 'INSUFFICIENT_FUNDS' })
      provider.removeAllListeners()
      await provider.destroy?.()
    }
}

interface Contract5 {
  transfer(to: string, amount: number): Promise<{ hash: string; wait(): Promise<unknown> }>
  balanceOf(holder: string): Promise<unknown>
  callStatic: { transfer(to: string, amount: number): Promise<unknown> }
  deployed(): Promise<unknown>
}
interface Provider5 {
  pollingInterval: number
  removeAllListeners(): void
  destroy?(): Promise<void>
}
interface Wallet5Instance {
  address: string
  sendTransaction(request: object): Promise<unknown>
}
interface Ethers5 {
  ethers: {
    providers: Record<
      'JsonRpcProvider' | 'JsonRpcBatchProvider' | 'WebSocketProvider',
      new (url: string) => Provider5
    >
    Wallet: new (key: string, provider: Provider5) => Wallet5Instance
    ContractFactory: new (
      abi: unknown,
      code: string,
      wallet: Wallet5Instance,
    ) => { deploy(...values: unknown[]): Promise<Contract5> }
  }
}

/** The flows of viem and ethers 6 over every transport. */
export const flows: Readonly<Record<string, Flow>> = {
  'viem over HTTP': viemFlow('http'),
  'viem in batches': viemFlow('batch'),
  'viem over WebSocket': viemFlow('webSocket'),
  'ethers 6 over HTTP': ethersFlow('http'),
  'ethers 6 over WebSocket': ethersFlow('webSocket'),
}

/** The flows of kubo-rpc-client, each self-contained. */
export const fileFlows: Readonly<Record<string, (ipfsUrl: string) => Promise<void>>> = {
  'adds and reads': async (ipfsUrl) => {
    const ipfs = create({ url: `${ipfsUrl}/api/v0` })
    const data = Buffer.alloc(700_000, 'file network ')
    const progress: number[] = []
    const { cid } = await ipfs.add(data, { cidVersion: 1, progress: (bytes) => void progress.push(bytes) })
    expect(cid.toString()).toBe('bafybeigrlekenjiga733reuw3xoynqou37v3brazga6ckm6z2xq6lkan4a')
    expect(progress.at(-1)).toBe(data.length)
    expect(Buffer.concat(await all(ipfs.cat(cid))).equals(data)).toBe(true)
  },
  'adds many': async (ipfsUrl) => {
    const ipfs = create({ url: `${ipfsUrl}/api/v0` })
    const files = ['a', 'b', 'c'].map((name) => ({
      path: `directory/${name}.txt`,
      content: `content of ${name}`,
    }))
    const added = await all(ipfs.addAll(files, { wrapWithDirectory: true }))
    expect(added.map(({ path }) => path)).toContain('directory/b.txt')
    const root = added.find(({ path }) => path === '')!
    const listed = await all(ipfs.ls(`/ipfs/${root.cid}/directory`))
    expect(listed.map(({ name }) => name).sort()).toEqual(['a.txt', 'b.txt', 'c.txt'])
  },
  'puts and gets nodes': async (ipfsUrl) => {
    const ipfs = create({ url: `${ipfsUrl}/api/v0` })
    const cid = await ipfs.dag.put({ hello: 'world', list: [1, 2, 3] })
    expect((await ipfs.dag.get(cid)).value).toEqual({ hello: 'world', list: [1, 2, 3] })
    const block = await ipfs.block.get(cid)
    expect(block.length).toBeGreaterThan(10)
  },
  'writes mutable files': async (ipfsUrl) => {
    const ipfs = create({ url: `${ipfsUrl}/api/v0` })
    await ipfs.files.mkdir('/suite', { parents: true })
    await ipfs.files.write('/suite/note.txt', Buffer.from('first'), { create: true })
    expect(Buffer.concat(await all(ipfs.files.read('/suite/note.txt'))).toString()).toBe('first')
    await ipfs.files.rm('/suite', { recursive: true })
    await expect(ipfs.files.stat('/suite')).rejects.toThrow('file does not exist')
  },
  'is refused': async (ipfsUrl) => {
    const ipfs = create({ url: `${ipfsUrl}/api/v0` })
    await expect(all(ipfs.cat('nonsense'))).rejects.toThrow(/invalid/)
  },
}

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of source) items.push(item)
  return items
}
