import { read, readAll } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { Failure, Loading, Panel } from '../parts/basics.js'
import { formatEther, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { currentNetwork } from '../shell/router.js'
import { toNumber } from './wire.js'

/** A millionth of an ether: the list shows no smaller fractions, the account all of them. */
const smallestShown = 10n ** 12n

interface Account {
  address: string
  balance: bigint
  nonce: number
}

/** The accounts that the node signs for. */
export function AccountsView() {
  const { value, error } = useLive(readAccounts, [currentNetwork.value], ['chain', 'requests'])
  if (error !== undefined && value === undefined) return <Failure message={error} />
  if (value === undefined) return <Loading />
  return (
    <Panel title="Unlocked accounts">
      <div class="scroll-x" tabIndex={0} role="group" aria-label="Accounts">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Address</th>
              <th scope="col" class="right">
                Balance
              </th>
              <th scope="col" class="right">
                Nonce
              </th>
            </tr>
          </thead>
          <tbody>
            {value.map(({ address, balance, nonce }) => (
              <tr key={address}>
                <td>
                  <Hash value={address} kind="address" />
                </td>
                <td class="right" title={formatEther(balance)}>
                  {formatEther(balance - (balance % smallestShown))}
                </td>
                <td class="right">{formatNumber(nonce)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

async function readAccounts(): Promise<Account[]> {
  const addresses = await read<string[]>('eth_accounts')
  const shown = addresses.slice(0, 200)
  const values = await readAll<string>(
    shown.flatMap((address) => [
      ['eth_getBalance', address, 'latest'] as const,
      ['eth_getTransactionCount', address, 'latest'] as const,
    ]),
  )
  return shown.map((address, place) => ({
    address,
    balance: BigInt(values[2 * place] ?? '0x0'),
    nonce: toNumber(values[2 * place + 1] ?? '0x0'),
  }))
}
