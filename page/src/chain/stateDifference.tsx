import { useState } from 'preact/hooks'
import { useLive } from '../api/useLive.js'
import { Failure, Panel } from '../parts/basics.js'
import { formatEther, shorten } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { currentNetwork } from '../shell/router.js'
import type { Trace } from './trace.js'
import { readStateDifference } from './trace.js'
import type { AccountState } from './wire.js'

interface Change {
  name: string
  before: string
  after: string
}

/** What an execution changed in the state: balances, nonces, code and storage, before and after. */
export function StateDifference({ trace, id }: { trace: Trace; id: string }) {
  const { value, error } = useLive(() => readStateDifference(trace), [id, currentNetwork.value])
  const [all, setAll] = useState(false)
  if (error !== undefined) return <Failure message={`The state difference cannot be read: ${error}`} />
  if (value === undefined) return null
  const { pre, post } = value
  const addresses = [...new Set([...Object.keys(pre), ...Object.keys(post)])]
  const accounts = addresses
    .map((address) => ({ address, changes: changesOf(pre[address], post[address]) }))
    .filter(({ changes }) => changes.length > 0)
  if (accounts.length === 0) return null
  const shown = all ? accounts : accounts.slice(0, 20)
  return (
    <Panel title={`State difference (${accounts.length})`}>
      {shown.map(({ address, changes }) => (
        <section key={address} class="difference">
          <h3>
            <Hash value={address} kind="address" />
          </h3>
          <div class="scroll-x" tabIndex={0} role="group" aria-label={`Changes of ${address}`}>
            <table class="plain">
              <thead class="visually-hidden">
                <tr>
                  <th scope="col">What</th>
                  <th scope="col">Before</th>
                  <th scope="col">After</th>
                </tr>
              </thead>
              <tbody>
                {changes.map(({ name, before, after }) => (
                  <tr key={name}>
                    <th scope="row" class="mono">
                      {name}
                    </th>
                    <td class="mono bad-text">{before}</td>
                    <td class="mono good-text">{after}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
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
    // A slot that is only before was set to zero.
    const after = post.storage?.[slot] ?? '0x0'
    add(`slot ${shortSlot(slot)}`, shortSlot(pre.storage?.[slot] ?? '0x0'), shortSlot(after))
  }
  return changes
}

/** A word without its zeros in front, and shortened if it is a hash. */
function shortSlot(word: string): string {
  const short = word.replace(/^0x0*/, '0x')
  return short === '0x' ? '0x0' : shorten(short, 12, 8)
}
