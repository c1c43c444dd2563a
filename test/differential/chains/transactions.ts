import { createHash } from 'node:crypto'
import type { Address, Hex, TransactionSerializable } from 'viem'
import { deploying, signers } from '../geth/chain.js'
import { Programs, precompileCall } from '../geth/programs.js'
import type { Random } from '../support/random.js'

/** Transaction types with the forks that introduced them. */
const typeForks = [
  ['eip2930', 'berlin'],
  ['eip1559', 'london'],
  ['eip4844', 'cancun'],
  ['eip7702', 'prague'],
] as const

/** Forks, oldest first, as `--hardfork` names them. */
export const forks = [
  ...['frontier', 'homestead', 'tangerinewhistle', 'spuriousdragon', 'byzantium', 'constantinople'],
  ...['petersburg', 'istanbul'],
  ...['berlin', 'london', 'paris', 'shanghai', 'cancun', 'prague', 'osaka', 'bpo1', 'bpo2'],
] as const

const GWEI = 10n ** 9n
/** The point at infinity: the commitment to a blob of zeros, and every proof for it. */
const infinity: Hex = `0xc0${'00'.repeat(47)}`
const zeroBlob: Hex = `0x${'00'.repeat(131_072)}`
const zeroBlobHash: Hex = `0x01${createHash('sha256')
  .update(Buffer.from(infinity.slice(2), 'hex'))
  .digest('hex')
  .slice(2)}`

/** Whether a fork includes another one. */
export function hasFork(fork: string, wanted: string): boolean {
  return forks.findIndex((name) => name === fork) >= forks.findIndex((name) => name === wanted)
}

/** Makes signed transactions of all types of a fork: random programs, calls and transfers. */
export class Transactions {
  readonly #random: Random
  readonly #fork: string
  readonly #chainId: number
  readonly #programs: Programs
  readonly #nonces = new Map<string, number>()
  readonly #targets: Address[]

  constructor(random: Random, { fork, chainId }: { fork: string; chainId: number }) {
    this.#random = random
    this.#fork = fork
    this.#chainId = chainId
    this.#targets = signers.map(({ address }) => address)
    this.#programs = new Programs(random, this.#targets)
  }

  /** Returns the next raw transaction and its sender. */
  async next(): Promise<{ raw: Hex; sender: Address }> {
    const random = this.#random
    const signer = random.pick(signers.slice(0, 8))
    const nonce = this.#nonces.get(signer.address) ?? 0
    this.#nonces.set(signer.address, nonce + 1)
    const isProtected = hasFork(this.#fork, 'spuriousdragon')
    const common = { nonce, gas: 300_000n, ...(isProtected && { chainId: this.#chainId }) }
    const fields = { ...common, ...(await this.#kind()), ...this.#content() }
    if (fields.type === 'eip7702' || fields.type === 'eip4844') fields.to ??= this.#targets[0]
    return { raw: await signer.signTransaction(fields as TransactionSerializable), sender: signer.address }
  }

  async #kind(): Promise<{ type: string; to?: Address | undefined }> {
    const random = this.#random
    const types = typeForks.filter(([, fork]) => hasFork(this.#fork, fork)).map(([type]) => type)
    const type = random.pick(['legacy', ...types])
    const fees = { maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: GWEI }
    const accessList = [{ address: random.pick(this.#targets), storageKeys: [`0x${'00'.repeat(32)}`] }]
    switch (type) {
      case 'legacy':
        return { type, gasPrice: 20n * GWEI } as { type: string }
      case 'eip2930':
        return { type, gasPrice: 20n * GWEI, accessList } as { type: string }
      case 'eip4844': {
        // Nodes convert this form to cell proofs on forks that require them (EIP-7594).
        const sidecars = [{ blob: zeroBlob, commitment: infinity, proof: infinity }]
        return {
          ...{ type, ...fees, maxFeePerBlobGas: GWEI, blobVersionedHashes: [zeroBlobHash], sidecars },
          to: random.pick(this.#targets),
        }
      }
      case 'eip7702': {
        const authority = random.pick(signers.slice(8))
        const nonce = this.#nonces.get(authority.address) ?? 0
        this.#nonces.set(authority.address, nonce + 1)
        const contractAddress = random.pick(this.#targets)
        const signed = await authority.signAuthorization({ chainId: this.#chainId, nonce, contractAddress })
        return { type, ...fees, authorizationList: [signed] } as { type: string }
      }
      default:
        return { type, ...fees, accessList } as { type: string }
    }
  }

  #content(): { to?: Address | undefined; data?: Hex; value?: bigint } {
    const random = this.#random
    const kind = random.below(5)
    if (kind === 0) return { to: random.pick(this.#targets), value: BigInt(random.below(1000)) }
    if (kind === 1) return precompileCall(random) as { to: Address; data: Hex }
    if (kind === 2) return { data: deploying(this.#programs.next().slice(2)) }
    if (kind === 3) return { data: this.#programs.next() as Hex }
    return { to: random.hex(20) as Address, data: random.hex(32) as Hex, value: 1n }
  }
}
