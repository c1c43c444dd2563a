import type { Chain } from '../chain/chain.js'
import type { Habits } from '../rpc/habits.js'

/** Gives the block after the first one the base fee of the first, where the node stands in for one that does so. */
export function keepBaseFee(
  { first, head, settings }: Pick<Chain, 'first' | 'head' | 'settings'>,
  { firstBlockKeepsBaseFee }: Pick<Habits, 'firstBlockKeepsBaseFee'>,
): void {
  const { baseFeePerGas } = first.header
  if (firstBlockKeepsBaseFee && head.block === first && baseFeePerGas !== undefined) {
    settings.nextBaseFee = baseFeePerGas
  }
}
