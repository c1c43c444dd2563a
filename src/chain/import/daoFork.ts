import { Account, Address } from '@ethereumjs/util'
import { hexToBytes } from '../../encoding/hex.js'
import type { ForkSchedule } from '../execution/forkSchedule.js'
import type { WorkingState } from '../state/workingState.js'
import type { HeaderFields } from '../types.js'
import { daoAccounts, daoRefundContract } from './daoAccounts.js'

/** Moves the ether of the DAO's accounts at the start of the fork's first block (EIP-779), and does nothing else. */
export async function payDaoRefunds(
  state: WorkingState,
  { number }: HeaderFields,
  { activations }: ForkSchedule,
): Promise<void> {
  const from = activations.find(({ hardfork }) => hardfork === 'dao')?.from
  if (from === undefined || !('block' in from) || from.block !== number) return
  let sum = 0n
  for (const address of daoAccounts.map((digits) => new Address(hexToBytes(digits)))) {
    const account = await state.getAccount(address)
    if (account === undefined) continue
    sum += account.balance
    account.balance = 0n
    await state.putAccount(address, account)
  }
  const contract = new Address(hexToBytes(daoRefundContract))
  const refunds = (await state.getAccount(contract)) ?? new Account()
  refunds.balance += sum
  await state.putAccount(contract, refunds)
}
