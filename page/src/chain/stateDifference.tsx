import { useState } from 'preact/hooks'
import { useLive } from '../api/useLive.js'
import { formatEther, shorten, shortenWord } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Panel } from '../parts/panel.js'
import type { PlainColumn } from '../parts/plainTable.js'
import { PlainTable } from '../parts/plainTable.js'
import { Failure } from '../parts/state.js'
import { currentNetwork } from '../shell/router.js'
import type { Trace } from './trace.js'
import { readStateDifference } from './trace.js'
import type { AccountState } from './wire.js'

interface Change {
  name: string
  before: string
  after: string
}

/** Number of accounts to show initially. */
const initialAccounts = 20

const columns: readonly PlainColumn<Change>[] = [
  { title: 'Field', isHeader: true, cell: ({ name }) => <span class="mono">{name}</span> },
  { title: 'Before', cell: ({ before }) => <span class="mono bad-text">{before}</span> },
  { title: 'After', cell: ({ after }) => <span class="mono good-text">{after}</span> },
]

/** Balances, nonces, code and storage that an execution changed, before and after. */
export function StateDifference({ trace, id }: { trace: Trace; id: string }) {
  const { value, error } = useLive(() => readStateDifference(trace), [id, currentNetwork.value])
  const [all, setAll] = useState(false)
  if (error !== undefined) return <Failure message={`Failed to read the state difference: ${error}`} />
  if (value === undefined) return null
  const { pre, post } = value
  const addresses = [...new Set([...Object.keys(pre), ...Object.keys(post)])]
  const accounts = addresses
    .map((address) => ({ address, changes: changesOf(pre[address], post[address]) }))
    .filter(({ changes }) => changes.length > 0)
  if (accounts.length === 0) return null
  const shown = all ? accounts : accounts.slice(0, initialAccounts)
  return (
    <Panel title={`State difference (${accounts.length})`}>
      {shown.map(({ address, changes }) => (
        <section key={address}>
          <h3>
            <Hash value={address} kind="address" />
          </h3>
          <PlainTable
            label={`Changes of ${address}`}
            columns={columns}
            rows={changes}
            rowKey={({ name }) => name}
          />
        </section>
      ))}
      {shown.length < accounts.length && (
        <button type="button" class="button" onClick={() => setAll(true)}>
          Show all {accounts.length}
        </button>
      )}
    </Panel>
  )
}

function changesOf(pre: AccountState = {}, post: AccountState = {}): Change[] {
  const changes: Change[] = []
  const add = (name: string, before: string | undefined, after: string | undefined): void => {
    if (after !== undefined && before !== after) changes.push({ name, before: before ?? 'none', after })
  }
  const ether = (balance: string | undefined): string | undefined => balance && formatEther(BigInt(balance))
  add('balance', ether(pre.balance), ether(post.balance))
  add('nonce', pre.nonce?.toString(), post.nonce?.toString())
  add('code', pre.code && shorten(pre.code, 12, 4), post.code && shorten(post.code, 12, 4))
  const slots = new Set([...Object.keys(pre.storage ?? {}), ...Object.keys(post.storage ?? {})])
  for (const slot of slots) {
    // A slot missing after was set to zero; a slot missing before was zero.
    const [before = '0x0', after = '0x0'] = [pre.storage?.[slot], post.storage?.[slot]]
    add(`slot ${shortenWord(slot)}`, shortenWord(before), shortenWord(after))
  }
  return changes
}
