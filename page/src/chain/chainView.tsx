import { read } from '../api/rpc.js'
import { SearchField, Subnav } from '../parts/subnav.js'
import { lazy } from '../shell/lazy.js'
import { navigate } from '../shell/router.js'
import { BlocksView } from './blocksView.js'

const BlockView = lazy(() => import('./blockView.js').then(({ BlockView: view }) => view))
const TransactionView = lazy(() => import('./transactionView.js').then(({ TransactionView: view }) => view))
const CallView = lazy(() => import('./callView.js').then(({ CallView: view }) => view))
const AccountsView = lazy(() => import('./accountsView.js').then(({ AccountsView: view }) => view))
const AccountView = lazy(() => import('./accountView.js').then(({ AccountView: view }) => view))
const ContractsView = lazy(() => import('./contractsView.js').then(({ ContractsView: view }) => view))

const places = [
  ['blocks', 'Blocks'],
  ['accounts', 'Accounts'],
  ['contracts', 'Contracts'],
] as const

/** The chain of the chosen network: blocks, transactions, accounts and contracts. */
export function ChainView({ path }: { path: readonly string[] }) {
  const [kind = 'blocks', id = ''] = path
  return (
    <>
      <div class="bar">
        <Subnav label="Chain" base="chain" places={places} shown={kind} />
        <SearchField
          label="Find a block, transaction or account"
          placeholder="Block, transaction or address"
          find={find}
        />
      </div>
      {kind === 'block' ? (
        <BlockView id={id} />
      ) : kind === 'transaction' ? (
        <TransactionView hash={id} />
      ) : kind === 'call' ? (
        <CallView request={id} />
      ) : kind === 'accounts' ? (
        <AccountsView />
      ) : kind === 'account' ? (
        <AccountView key={id} address={id} tab={path[2] ?? 'overview'} />
      ) : kind === 'contracts' ? (
        <ContractsView />
      ) : (
        <BlocksView />
      )}
    </>
  )
}

/** Opens a block by number or hash, a transaction or an account. */
async function find(text: string): Promise<void> {
  if (/^\d+$/.test(text)) navigate(`chain/block/${text}`)
  else if (/^0x[0-9a-f]{40}$/i.test(text)) navigate(`chain/account/${text}`)
  else if (/^0x[0-9a-f]{64}$/i.test(text)) {
    const transaction = await read<unknown>('eth_getTransactionByHash', text)
    navigate(transaction === null ? `chain/block/${text}` : `chain/transaction/${text}`)
  } else throw new Error('Expected a block number, a hash or an address')
}
