import type { Hex } from 'viem'
import type { Devnet } from '../devnet/support.js'

/** Init code of a contract that stores its first input word in the slot of the second, and logs it with topic 1. */
const contract: Hex = '0x6015600c60003960156000f360003560203555600035600052600160206000a100'

const word = (value: number): string => value.toString(16).padStart(64, '0')

/** Fills a chain with everything that a data directory can hold: balances, code, storage, receipts, logs. */
export async function fillChain(
  { call, send, to }: Devnet,
  blocks: number,
): Promise<{ contract: Hex; hashes: Hex[] }> {
  const deployed = await send({ data: contract })
  const hashes = [deployed.transactionHash]
  for (let n = 1; n < blocks; n++) {
    const fresh = `0x${(0xabc000 + n).toString(16).padStart(40, '0')}`
    const sent =
      n % 3 === 0
        ? { to: deployed.contractAddress, data: `0x${word(n)}${word(n % 7)}` }
        : { to: n % 3 === 1 ? to : fresh, value: '0x1' }
    hashes.push((await send(sent)).transactionHash)
  }
  await call('evm_mine')
  return { contract: deployed.contractAddress, hashes }
}
