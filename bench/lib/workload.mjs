import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Interface } from 'ethers'
import { Signer } from './signer.mjs'

const here = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const modules = resolve(here, '../node_modules')

/** Compiles the contract for the newest fork that every measured node supports. */
async function compile() {
  const source = readFileSync(join(here, 'contracts/Workload.sol'), 'utf8')
  const cached = join(
    here,
    'dist',
    `workload-${createHash('sha256').update(source).digest('hex').slice(0, 16)}.json`,
  )
  if (existsSync(cached)) return JSON.parse(readFileSync(cached, 'utf8'))
  const { default: solc } = await import('solc')
  const input = {
    language: 'Solidity',
    sources: { 'Workload.sol': { content: source } },
    settings: {
      evmVersion: 'shanghai',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { Workload: ['abi', 'evm.bytecode.object'] } },
    },
  }
  const readImport = (path) => ({ contents: readFileSync(join(modules, path), 'utf8') })
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: readImport }))
  const contract = output.contracts?.['Workload.sol']?.Workload
  if (contract === undefined) throw new Error(output.errors.map((error) => error.formattedMessage).join('\n'))
  const compiled = { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` }
  mkdirSync(dirname(cached), { recursive: true })
  writeFileSync(cached, JSON.stringify(compiled))
  return compiled
}

/** Transaction gas limit of EIP-7825, which one of the peers always enforces. */
export const TRANSACTION_GAS = 16_777_216n

const { abi, bytecode } = await compile()
export const workload = new Interface(abi)

/** Funded accounts and the deployed contract of one node. */
export class Stage {
  #client
  signers = Array.from({ length: 10 }, (_, index) => new Signer(index))
  contract

  constructor(client) {
    this.#client = client
  }

  /** Deploys the contract, with a little ether for {@link fundAccounts}. */
  async deploy() {
    const raw = this.signers[0].sign({ data: bytecode, gasLimit: 3_000_000n, value: 10n ** 9n })
    const receipt = await this.send(raw)
    this.contract = receipt.contractAddress
    return this
  }

  /** Sends a signed transaction. @returns its receipt */
  async send(raw) {
    const hash = await this.#client.call('eth_sendRawTransaction', raw)
    for (;;) {
      const receipt = await this.#client.call('eth_getTransactionReceipt', hash)
      if (receipt === null) continue
      if (receipt.status !== '0x1') throw new Error(`a transaction failed: ${hash}`)
      return receipt
    }
  }

  /** Sends signed transactions in batches and fetches their receipts in batches, on a node with automine. */
  async sendMany(raws) {
    const hashes = await this.#client.callMany(
      'eth_sendRawTransaction',
      raws.map((raw) => [raw]),
    )
    const receipts = await this.#client.callMany(
      'eth_getTransactionReceipt',
      hashes.map((hash) => [hash]),
    )
    if (!receipts.every((receipt) => receipt?.status === '0x1')) throw new Error('a transaction failed')
  }

  /** Signs a transaction that calls the contract. */
  sign(name, parameters, { signer = this.signers[0], gasLimit = 100_000n } = {}) {
    return signer.sign({ to: this.contract, data: workload.encodeFunctionData(name, parameters), gasLimit })
  }

  callObject(name, parameters, fields = {}) {
    const data = workload.encodeFunctionData(name, parameters)
    return { from: this.signers[0].address, to: this.contract, data, ...fields }
  }

  /**
   * Creates the accounts with indexes from `from` up to, but excluding, `to`; their addresses are 2^64 plus the index.
   */
  fundAccounts(from, to) {
    return this.#inSteps('fund', from, to, { step: 400, offset: 2n ** 64n })
  }

  /**
   * Writes the contract's slots with indexes from `from` up to, but excluding, `to`; their keys are 2^64 plus the
   * index.
   */
  fillSlots(from, to) {
    return this.#inSteps('fill', from, to, { step: 600, offset: 2n ** 64n })
  }

  async #inSteps(name, from, to, { step, offset }) {
    for (let at = from; at < to; at += step) {
      const count = Math.min(step, to - at)
      await this.send(this.sign(name, [offset + BigInt(at), count], { gasLimit: TRANSACTION_GAS }))
    }
  }

  /**
   * Mines the blocks numbered from `from` up to, but excluding, `to`, each with one transaction and one log of its
   * number. Waits for each block: a node that receives many transactions at once may put them into one block.
   */
  async growChain(from, to) {
    for (let number = from; number < to; number++) await this.send(this.sign('emitMany', [number, 1]))
  }
}
