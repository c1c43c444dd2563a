import { join } from 'node:path'
import type { Address, Hex, TransactionSerializable } from 'viem'
import { type PrivateKeyAccount, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { createNode, type NodeOptions, type StandinNode } from '../../../src/index.js'
import { exportFiles } from '../../../src/node/exportFiles.js'
import type { Random } from '../support/random.js'
import { Programs, precompileCall } from './programs.js'

const GWEI = 10n ** 9n
const mnemonic = 'test test test test test test test test test test test junk'

/** Accounts, blocks and transactions of the common chain, from which requests are made. */
export interface ChainFacts {
  chainId: number
  head: number
  accounts: Address[]
  contracts: Address[]
  blockHashes: string[]
  transactionHashes: string[]
  rawBlocks: string[]
}

/** The common chain that both nodes start from, as files. */
export interface ChainFiles {
  genesis: string
  chain: string
  facts: ChainFacts
}

/** The first ten accounts of the default mnemonic. */
export const signers: readonly PrivateKeyAccount[] = Array.from({ length: 10 }, (_, addressIndex) => {
  const key = mnemonicToAccount(mnemonic, { addressIndex }).getHdKey().privateKey
  if (!key) throw new Error('the mnemonic has no private keys')
  return privateKeyToAccount(`0x${Buffer.from(key).toString('hex')}`)
})

/**
 * Code that stores the first word of its call data in slot 0, emits it in a log of two topics, and returns it.
 */
const keeper = '5f355f555f355f525f35602a60205fa260205ff3'
/** Code that reverts with Error("no"). */
const reverter = '62461bcd60e51b5f5260206004526002602452616e6f60f01b60445260645ffd'
/** Code that writes the first word of its call data into the slot named by the second; zero clears the slot. */
const writer = '5f35602035555f5ff3'

/** Returns init code that deploys a runtime code. */
export function deploying(runtime: string): Hex {
  const length = (runtime.length / 2).toString(16).padStart(4, '0')
  return `0x61${length}80600a5f395ff3${runtime}`
}

/**
 * Makes a chain of 31 blocks and exports it to files. It has transactions of all types except blobs, contracts, logs,
 * storage, a delegation and failures.
 */
export async function makeChain(
  directory: string,
  random: Random,
  options: NodeOptions,
): Promise<ChainFiles> {
  const dataDir = join(directory, 'made')
  const node = await createNode({ ...options, dataDir, deterministic: true, noMining: true, listen: false })
  const facts = genesisFacts(node)
  try {
    await fill(node, facts, random)
    await collectFacts(node, facts)
  } finally {
    await node.stop()
  }
  return exportChain(directory, dataDir, facts)
}

/** Returns the facts of a chain that has only its genesis. */
export function genesisFacts({ chainId }: StandinNode): ChainFacts {
  return {
    chainId,
    head: 0,
    accounts: signers.map(({ address }) => address),
    contracts: [],
    blockHashes: [],
    transactionHashes: [],
    rawBlocks: [],
  }
}

/** Collects the blocks and transactions of a chain. */
export async function collectFacts(node: StandinNode, facts: ChainFacts): Promise<void> {
  for (let number = 0; number <= facts.head; number++) {
    const block = (await node.request('eth_getBlockByNumber', [toHex(number), false])) as {
      hash: string
      transactions: string[]
    }
    facts.blockHashes.push(block.hash)
    facts.transactionHashes.push(...block.transactions)
    facts.rawBlocks.push((await node.request('debug_getRawBlock', [toHex(number)])) as string)
  }
}

/** Exports a chain to files. */
export async function exportChain(
  directory: string,
  dataDir: string,
  facts: ChainFacts,
): Promise<ChainFiles> {
  const chain = join(directory, 'chain.rlp')
  const genesis = join(directory, 'genesis.json')
  await exportFiles({ dataDir, network: undefined, file: chain, genesisFile: genesis, to: undefined })
  return { chain, genesis, facts }
}

async function fill(node: StandinNode, facts: ChainFacts, random: Random): Promise<void> {
  const { chainId } = facts
  const nonces = new Map<string, number>()
  const fees = { maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: GWEI }
  const send = async (signer: PrivateKeyAccount, fields: object): Promise<string> => {
    const nonce = nonces.get(signer.address) ?? 0
    nonces.set(signer.address, nonce + 1)
    const transaction = { chainId, nonce, gas: 500_000n, ...fields } as TransactionSerializable
    const raw = await signer.signTransaction(transaction)
    return (await node.request('eth_sendRawTransaction', [raw])) as string
  }
  const mine = async (): Promise<void> => {
    await node.request('evm_mine')
    facts.head++
  }
  const [deployer, , , , , , , , authority] = signers as [PrivateKeyAccount, ...PrivateKeyAccount[]]
  const deployed: string[] = []
  for (const runtime of [keeper, reverter, writer]) {
    deployed.push(await send(deployer, { type: 'eip1559', ...fees, data: deploying(runtime) }))
  }
  await mine()
  for (const hash of deployed) {
    const receipt = (await node.request('eth_getTransactionReceipt', [hash])) as { contractAddress: Address }
    facts.contracts.push(receipt.contractAddress)
  }
  const [storing] = facts.contracts as [Address]
  const programs = new Programs(random, [...facts.accounts, ...facts.contracts])
  for (let block = 0; block < 30; block++) {
    for (let count = 2 + random.below(4); count > 0; count--) {
      const signer = random.pick(signers.slice(0, 8))
      const accessList = [{ address: storing, storageKeys: [`0x${'00'.repeat(32)}`] }]
      const price = { gasPrice: 20n * GWEI }
      const kind = random.pick<object>([
        { type: 'legacy', ...price },
        { type: 'eip2930', ...price, accessList },
        { type: 'eip1559', ...fees, accessList },
        { type: 'eip1559', ...fees },
      ])
      const to = random.chance(0.6) ? random.pick(facts.contracts) : random.pick(facts.accounts)
      const word = random.chance(0.3) ? `0x${'00'.repeat(32)}` : random.hex(32)
      const slot = random.below(4).toString(16).padStart(64, '0')
      const content = random.pick([
        { to, data: `${word}${slot}`, value: BigInt(random.below(2)) },
        { to, data: `${word}${slot}` },
        { data: programs.next() },
        precompileCall(random),
      ])
      await send(signer, { ...kind, ...content })
    }
    if (block === 12 && authority !== undefined) {
      const signed = await authority.signAuthorization({ chainId, nonce: 0, contractAddress: storing })
      const authorizationList = [signed]
      await send(deployer, { type: 'eip7702', ...fees, to: authority.address, authorizationList })
    }
    await mine()
  }
}

function toHex(number: number): string {
  return `0x${number.toString(16)}`
}
