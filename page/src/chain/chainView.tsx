import { useState } from 'preact/hooks'
import { read } from '../api/rpc.js'
import { announceFailure } from '../parts/announcer.js'
import { lazy } from '../shell/lazy.js'
import { link, navigate } from '../shell/router.js'
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
        <div class="subnav" role="group" aria-label="Chain">
          {places.map(([place, title]) => (
            <a key={place} href={link(`chain/${place}`)} aria-current={kind === place ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </div>
        <Search />
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

/** Finds a block by number or hash, a transaction, or an account. */
function Search() {
  const [text, setText] = useState('')
  const find = async (event: Event): Promise<void> => {
    event.preventDefault()
    const wanted = text.trim()
    if (/^\d+$/.test(wanted)) navigate(`chain/block/${wanted}`)
    else if (/^0x[0-9a-f]{40}$/i.test(wanted)) navigate(`chain/account/${wanted}`)
    else if (/^0x[0-9a-f]{64}$/i.test(wanted)) {
      const transaction = await read<unknown>('eth_getTransactionByHash', wanted)
      navigate(transaction === null ? `chain/block/${wanted}` : `chain/transaction/${wanted}`)
    } else announceFailure('Expected a block number, a hash or an address')
  }
  return (
    <form role="search" class="search" onSubmit={(event) => void find(event).catch(announceFailure)}>
      <input
        type="search"
        aria-label="Find a block, transaction or account"
        placeholder="Block, transaction or address"
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </form>
  )
}
