import {
  BaseError,
  ContractFunctionRevertedError,
  type Hex,
  type Log,
  createWalletClient,
  encodeAbiParameters,
  encodeFunctionData,
  http,
  keccak256,
  parseEther,
  parseEventLogs,
  publicActions,
  toHex,
  toRlp,
  webSocket,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNode } from '../../src/index.js'
import { readArtifact } from '../support/artifacts.js'
import { verifyMerkleProof } from '../support/merkleProof.js'
import { until } from '../support/until.js'

const token = readArtifact('Token')
const collectible = readArtifact('Collectible')
const reverter = readArtifact('Reverter')

/** Returns the slot of a mapping's entry in the mapping at slot 0, where OpenZeppelin's ERC-20 has its balances. */
function balanceSlot(holder: Hex): Hex {
  return keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [holder, 0n]))
}

describe.each(['http', 'webSocket'] as const)('viem over %s', (transportName) => {
  let node: Awaited<ReturnType<typeof createNode>>
  let client: ReturnType<typeof connect>
  let holder: Hex
  let recipient: Hex
  let tokenAddress: Hex

  function connect() {
    const [first] = node.accounts
    return createWalletClient({
      account: privateKeyToAccount(first?.privateKey as Hex),
      chain: foundry,
      transport: transportName === 'http' ? http(node.url) : webSocket(node.wsUrl, { reconnect: false }),
      pollingInterval: 20,
    }).extend(publicActions)
  }

  async function deploy({ abi, bytecode }: typeof token, args: readonly unknown[]): Promise<Hex> {
    const hash = await client.deployContract({ abi, bytecode, args })
    const { status, contractAddress } = await client.waitForTransactionReceipt({ hash })
    expect(status).toBe('success')
    return contractAddress as Hex
  }

  async function transfer(amount: bigint) {
    const call = {
      address: tokenAddress,
      abi: token.abi,
      functionName: 'transfer',
      args: [recipient, amount],
    }
    return client.waitForTransactionReceipt({ hash: await client.writeContract(call) })
  }

  const balanceOf = (account: Hex) =>
    client.readContract({ address: tokenAddress, abi: token.abi, functionName: 'balanceOf', args: [account] })

  beforeAll(async () => {
    node = await createNode({ port: 0, ipfsPort: 0 })
    client = connect()
    holder = client.account.address
    recipient = node.accounts[1]?.address as Hex
    tokenAddress = await deploy(token, ['Example', 'EXA', parseEther('1000')])
  })

  afterAll(() => node.stop())

  it('deploys the compiled code', async () => {
    expect(await client.getCode({ address: tokenAddress })).toBe(token.deployedBytecode)
    expect(await balanceOf(holder)).toBe(parseEther('1000'))
  })

  it('transfers tokens and reads the event from the receipt', async () => {
    const before = (await balanceOf(recipient)) as bigint
    const receipt = await transfer(5n)
    expect(await balanceOf(recipient)).toBe(before + 5n)
    expect(parseEventLogs({ abi: token.abi, logs: receipt.logs })).toMatchObject([
      { eventName: 'Transfer', args: { from: holder, to: recipient, value: 5n }, logIndex: 0 },
    ])
    const logs = await client.getContractEvents({
      address: tokenAddress,
      abi: token.abi,
      eventName: 'Transfer',
      args: { to: recipient },
      fromBlock: receipt.blockNumber,
    })
    expect(logs).toMatchObject([{ transactionHash: receipt.transactionHash, args: { value: 5n } }])
  })

  it('watches events and blocks', async () => {
    const logs: Log[] = []
    const blocks: bigint[] = []
    const unwatchEvents = client.watchContractEvent({
      address: tokenAddress,
      abi: token.abi,
      eventName: 'Transfer',
      onLogs: (more) => logs.push(...more),
    })
    const unwatchBlocks = client.watchBlocks({ onBlock: (block) => blocks.push(block.number) })
    // The first poll and the subscription start in the background; earlier events are not seen.
    const sent = new Set<Hex>()
    await until(async () => {
      sent.add((await transfer(1n)).transactionHash)
      return logs.length >= 3 && blocks.length >= 3
    })
    unwatchEvents()
    unwatchBlocks()
    for (const log of logs) expect(sent).toContain(log.transactionHash)
    expect(new Set(logs.map((log) => log.transactionHash)).size).toBe(logs.length)
    expect(blocks).toEqual([...new Set(blocks)].sort((a, b) => Number(a - b)))
  })

  it('estimates the gas that the transaction uses', async () => {
    const call = { address: tokenAddress, abi: token.abi, functionName: 'transfer', args: [recipient, 7n] }
    const estimate = await client.estimateContractGas({ ...call, account: client.account })
    const { gasUsed } = await transfer(7n)
    expect(estimate).toBeGreaterThanOrEqual(gasUsed)
    expect(Number(estimate)).toBeLessThanOrEqual(Number(gasUsed) * 1.015)
  })

  it('decodes the reason of a revert', async () => {
    const address = await deploy(reverter, [])
    const failing = async (target: typeof token, to: Hex, functionName: string, args: readonly unknown[]) => {
      const request = { address: to, abi: target.abi, functionName, args, account: client.account }
      const error: unknown = await client.simulateContract(request).catch((caught: unknown) => caught)
      const reverted =
        error instanceof BaseError && error.walk((cause) => cause instanceof ContractFunctionRevertedError)
      return reverted instanceof ContractFunctionRevertedError ? reverted : undefined
    }
    expect((await failing(reverter, address, 'revertWithReason', ['not today']))?.reason).toBe('not today')
    expect((await failing(reverter, address, 'panicAssert', [false]))?.data?.args).toEqual([1n])
    expect((await failing(reverter, address, 'revertWithoutReason', []))?.signature).toBeUndefined()
    expect(
      (await failing(token, tokenAddress, 'transfer', [recipient, parseEther('2000')]))?.data,
    ).toMatchObject({
      errorName: 'ERC20InsufficientBalance',
      args: [holder, await balanceOf(holder), parseEther('2000')],
    })
    const estimate = client.estimateContractGas({
      address,
      abi: reverter.abi,
      functionName: 'revertWithReason',
      args: ['not today'],
      account: client.account,
    })
    await expect(estimate).rejects.toThrow('not today')
  })

  it('verifies proofs of current and past states', async () => {
    const first = await transfer(1n)
    const balanceThen = (await balanceOf(holder)) as bigint
    const second = await transfer(1n)
    const slot = balanceSlot(holder)
    const absent = balanceSlot('0x00000000000000000000000000000000000000aa')
    for (const [blockNumber, balance] of [
      [first.blockNumber, balanceThen],
      [second.blockNumber, balanceThen - 1n],
    ] as const) {
      const { stateRoot } = await client.getBlock({ blockNumber })
      const proof = await client.getProof({ address: tokenAddress, storageKeys: [slot, absent], blockNumber })
      const account = toRlp([
        toHex(proof.nonce),
        proof.balance === 0n ? '0x' : toHex(proof.balance),
        proof.storageHash,
        proof.codeHash,
      ])
      expect(verifyMerkleProof(stateRoot, keccak256(tokenAddress), proof.accountProof)).toBe(account)
      expect(proof.codeHash).toBe(keccak256(token.deployedBytecode))
      const [present, missing] = proof.storageProof
      expect(present?.value).toBe(balance)
      expect(verifyMerkleProof(proof.storageHash, keccak256(slot), present?.proof ?? [])).toBe(
        toRlp(toHex(balance)),
      )
      expect(missing?.value).toBe(0n)
      expect(verifyMerkleProof(proof.storageHash, keccak256(absent), missing?.proof ?? [])).toBeUndefined()
    }
  })

  it('uses the gas that eth_createAccessList promised', async () => {
    const data = encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [recipient, 3n] })
    const request = { account: client.account, to: tokenAddress, data }
    const { accessList, gasUsed } = await client.createAccessList(request)
    expect(accessList.map(({ address }) => address.toLowerCase())).toContain(tokenAddress.toLowerCase())
    const hash = await client.sendTransaction({ ...request, accessList, gas: gasUsed + 10_000n })
    const receipt = await client.waitForTransactionReceipt({ hash })
    expect(receipt.status).toBe('success')
    expect(receipt.gasUsed).toBe(gasUsed)
    expect(await client.getTransaction({ hash })).toMatchObject({ accessList, type: 'eip1559' })
  })

  it('mints and moves an ERC-721', async () => {
    const address = await deploy(collectible, ['Things', 'THG'])
    const contract = { address, abi: collectible.abi }
    const mint = await client.writeContract({
      ...contract,
      functionName: 'mint',
      args: [holder, 'ipfs://one'],
    })
    await client.waitForTransactionReceipt({ hash: mint })
    expect(await client.readContract({ ...contract, functionName: 'tokenURI', args: [0n] })).toBe(
      'ipfs://one',
    )
    const move = await client.writeContract({
      ...contract,
      functionName: 'transferFrom',
      args: [holder, recipient, 0n],
    })
    const { logs } = await client.waitForTransactionReceipt({ hash: move })
    expect(parseEventLogs({ abi: collectible.abi, logs })).toMatchObject([
      { eventName: 'Transfer', args: { from: holder, to: recipient, tokenId: 0n } },
    ])
    expect(await client.readContract({ ...contract, functionName: 'ownerOf', args: [0n] })).toBe(recipient)
  })
})
