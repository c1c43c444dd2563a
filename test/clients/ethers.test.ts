import {
  AbiCoder,
  Contract,
  ContractFactory,
  Interface,
  JsonRpcProvider,
  type TransactionReceipt,
  Wallet,
  WebSocketProvider,
  encodeRlp,
  isCallException,
  keccak256,
  parseEther,
  toBeHex,
  toQuantity,
} from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNode } from '../../src/index.js'
import { readArtifact } from '../support/artifacts.js'
import { verifyMerkleProof } from '../support/merkleProof.js'
import { until } from '../support/until.js'

const token = readArtifact('Token')
const collectible = readArtifact('Collectible')
const reverter = readArtifact('Reverter')

interface AccountProof {
  nonce: string
  balance: string
  storageHash: string
  codeHash: string
  accountProof: string[]
  storageProof: { key: string; value: string; proof: string[] }[]
}

/** Returns the slot of a mapping's entry in the mapping at slot 0, where OpenZeppelin's ERC-20 has its balances. */
function balanceSlot(holder: string): string {
  return keccak256(AbiCoder.defaultAbiCoder().encode(['address', 'uint256'], [holder, 0n]))
}

const quantityToRlpItem = (quantity: string) => (BigInt(quantity) === 0n ? '0x' : toBeHex(BigInt(quantity)))

describe.each(['http', 'webSocket'] as const)('ethers over %s', (transportName) => {
  let node: Awaited<ReturnType<typeof createNode>>
  let provider: JsonRpcProvider | WebSocketProvider
  let wallet: Wallet
  let recipient: string
  let contract: Contract

  async function deploy({ abi, bytecode }: typeof token, args: readonly unknown[]): Promise<Contract> {
    const contractInterface = new Interface(JSON.stringify(abi))
    const deployed = await new ContractFactory(contractInterface, bytecode, wallet).deploy(...args)
    await deployed.waitForDeployment()
    return new Contract(await deployed.getAddress(), contractInterface, wallet)
  }

  async function transfer(amount: bigint): Promise<TransactionReceipt> {
    const response = await contract.getFunction('transfer').send(recipient, amount)
    const receipt = await response.wait()
    if (receipt === null) throw new Error('the transaction was not mined')
    return receipt
  }

  const balanceOf = async (account: string): Promise<bigint> => {
    const balance: unknown = await contract.getFunction('balanceOf').staticCall(account)
    return BigInt(String(balance))
  }

  beforeAll(async () => {
    node = await createNode({ port: 0, ipfsPort: 0 })
    const [first, second] = node.accounts
    // ethers caches answers for a quarter of a second, in which this chain may mine many blocks.
    provider =
      transportName === 'http'
        ? new JsonRpcProvider(node.url, undefined, { cacheTimeout: -1, pollingInterval: 20 })
        : new WebSocketProvider(node.wsUrl, undefined, { cacheTimeout: -1 })
    wallet = new Wallet(first?.privateKey ?? '', provider)
    recipient = second?.address ?? ''
    contract = await deploy(token, ['Example', 'EXA', parseEther('1000')])
  })

  afterAll(async () => {
    await provider.destroy()
    await node.stop()
  })

  it('deploys the compiled code', async () => {
    expect((await provider.getNetwork()).chainId).toBe(31337n)
    expect(await provider.getCode(contract)).toBe(token.deployedBytecode)
    expect(await balanceOf(wallet.address)).toBe(parseEther('1000'))
  })

  it('transfers tokens and finds the event', async () => {
    const before = await balanceOf(recipient)
    const receipt = await transfer(5n)
    expect(receipt.status).toBe(1)
    expect(await balanceOf(recipient)).toBe(before + 5n)
    const found = await contract.queryFilter(
      contract.getEvent('Transfer')(null, recipient),
      receipt.blockNumber,
    )
    expect(found.map(({ transactionHash }) => transactionHash)).toEqual([receipt.hash])
    expect(contract.interface.parseLog(found[0]!)?.args.toArray()).toEqual([wallet.address, recipient, 5n])
  })

  it('watches events', async () => {
    const values: bigint[] = []
    await contract.on('Transfer', (_from: string, _to: string, value: bigint) => values.push(value))
    let sent = 0n
    await until(async () => {
      sent += 1n
      await transfer(sent)
      return values.length >= 3
    })
    await contract.off('Transfer')
    const first = values[0] ?? 0n
    expect(values).toEqual(values.map((_, index) => first + BigInt(index)))
  })

  it('estimates the gas that the transaction uses', async () => {
    const estimate = await contract.getFunction('transfer').estimateGas(recipient, 7n)
    const { gasUsed } = await transfer(7n)
    expect(estimate).toBeGreaterThanOrEqual(gasUsed)
    expect(Number(estimate)).toBeLessThanOrEqual(Number(gasUsed) * 1.015)
  })

  it('decodes the reason of a revert', async () => {
    const failing = await deploy(reverter, [])
    const revertOf = async (target: Contract, name: string, ...args: unknown[]) => {
      const error: unknown = await target
        .getFunction(name)
        .staticCall(...args)
        .catch((caught: unknown) => caught)
      return isCallException(error) ? error : undefined
    }
    expect(await revertOf(failing, 'revertWithReason', 'not today')).toMatchObject({ reason: 'not today' })
    expect((await revertOf(failing, 'panicAssert', false))?.revert).toMatchObject({ name: 'Panic' })
    expect(await revertOf(failing, 'revertWithoutReason')).toMatchObject({
      data: '0x',
      reason: 'require(false)',
    })
    expect((await revertOf(contract, 'transfer', recipient, parseEther('2000')))?.revert).toMatchObject({
      name: 'ERC20InsufficientBalance',
      args: [wallet.address, await balanceOf(wallet.address), parseEther('2000')],
    })
    await expect(failing.getFunction('revertWithReason').estimateGas('not today')).rejects.toMatchObject({
      reason: 'not today',
    })
  })

  it('verifies proofs of current and past states', async () => {
    const first = await transfer(1n)
    const balanceThen = await balanceOf(wallet.address)
    const second = await transfer(1n)
    const address = await contract.getAddress()
    const slot = balanceSlot(wallet.address)
    for (const [blockNumber, balance] of [
      [first.blockNumber, balanceThen],
      [second.blockNumber, balanceThen - 1n],
    ] as const) {
      const stateRoot = (await provider.getBlock(blockNumber))?.stateRoot ?? ''
      const proof = (await provider.send('eth_getProof', [
        address,
        [slot],
        toQuantity(blockNumber),
      ])) as AccountProof
      const account = encodeRlp([
        quantityToRlpItem(proof.nonce),
        quantityToRlpItem(proof.balance),
        proof.storageHash,
        proof.codeHash,
      ])
      expect(verifyMerkleProof(stateRoot, keccak256(address), proof.accountProof)).toBe(account)
      const [storage] = proof.storageProof
      expect(BigInt(storage?.value ?? 0)).toBe(balance)
      const proven = verifyMerkleProof(proof.storageHash, keccak256(slot), storage?.proof ?? [])
      expect(proven).toBe(encodeRlp(toBeHex(balance)))
    }
  })

  it('uses the gas that eth_createAccessList promised', async () => {
    const request = await contract.getFunction('transfer').populateTransaction(recipient, 3n)
    const { accessList, gasUsed } = (await provider.send('eth_createAccessList', [
      { from: wallet.address, to: request.to, data: request.data },
      'latest',
    ])) as { accessList: { address: string; storageKeys: string[] }[]; gasUsed: string }
    const response = await wallet.sendTransaction({
      ...request,
      accessList,
      gasLimit: BigInt(gasUsed) + 10_000n,
    })
    const receipt = await response.wait()
    expect(receipt?.status).toBe(1)
    expect(receipt?.gasUsed).toBe(BigInt(gasUsed))
  })

  it('mints and moves an ERC-721', async () => {
    const things = await deploy(collectible, ['Things', 'THG'])
    await (await things.getFunction('mint').send(wallet.address, 'ipfs://one')).wait()
    expect(await things.getFunction('tokenURI').staticCall(0n)).toBe('ipfs://one')
    await (await things.getFunction('transferFrom').send(wallet.address, recipient, 0n)).wait()
    expect(await things.getFunction('ownerOf').staticCall(0n)).toBe(recipient)
  })
})
