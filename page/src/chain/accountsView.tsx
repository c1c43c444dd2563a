import { read, readAll } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { formatEther, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Panel } from '../parts/panel.js'
import type { PlainColumn } from '../parts/plainTable.js'
import { PlainTable } from '../parts/plainTable.js'
import { Loaded } from '../parts/state.js'
import { currentNetwork } from '../shell/router.js'
import { toNumber } from './wire.js'

/** Smallest fraction of an ether in the list; the account view shows the exact balance. */
const smallestShown = 10n ** 12n

/** Maximum number of accounts to list. */
const maxShown = 200

interface Account {
  address: string
  balance: bigint
  nonce: number
}

const columns: readonly PlainColumn<Account>[] = [
  { title: 'Address', cell: ({ address }) => <Hash value={address} kind="address" /> },
  {
    title: 'Balance',
    align: 'right',
    cell: ({ balance }) => (
      <span title={formatEther(balance)}>{formatEther(balance - (balance % smallestShown))}</span>
    ),
  },
  { title: 'Nonce', align: 'right', cell: ({ nonce }) => formatNumber(nonce) },
]

/** The accounts that the node signs for. */
export function AccountsView() {
  const accounts = useLive(readAccounts, [currentNetwork.value], ['chain', 'requests'])
  return (
    <Loaded from={accounts}>
      {(rows) => (
        <Panel title="Unlocked accounts">
          <PlainTable label="Accounts" columns={columns} rows={rows} rowKey={({ address }) => address} />
        </Panel>
      )}
    </Loaded>
  )
}

async function readAccounts(): Promise<Account[]> {
  const addresses = await read<string[]>('eth_accounts')
  const shown = addresses.slice(0, maxShown)
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
