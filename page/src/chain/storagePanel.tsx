import { useState } from 'preact/hooks'
import { read } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { Failure, Loading, Panel } from '../parts/basics.js'
import { Hash } from '../parts/hash.js'
import { currentNetwork } from '../shell/router.js'
import type { Block } from './wire.js'

interface StorageRange {
  storage: Record<string, { key: string | null; value: string }>
  nextKey: string | null
}

/** Slots of one read. */
const pageSize = 100

const zero = `0x${'0'.repeat(64)}`

/** The slots of a contract in the order of the trie, page by page. */
export function StoragePanel({ address }: { address: string }) {
  const [start, setStart] = useState(zero)
  const { value, error } = useLive(
    async () => {
      const head = await read<Block>('eth_getBlockByNumber', 'latest', false)
      return read<StorageRange>(
        'debug_storageRangeAt',
        head.hash,
        head.transactions.length,
        address,
        start,
        pageSize,
      )
    },
    [address, start, currentNetwork.value],
    ['chain'],
  )
  if (error !== undefined && value === undefined) return <Failure message={error} />
  if (value === undefined) return <Loading />
  const slots = Object.entries(value.storage)
  return (
    <Panel
      title="Storage"
      actions={
        <>
          {start !== zero && (
            <button type="button" class="button" onClick={() => setStart(zero)}>
              First page
            </button>
          )}
          {value.nextKey !== null && (
            <button type="button" class="button" onClick={() => setStart(value.nextKey ?? zero)}>
              Next page
            </button>
          )}
        </>
      }
    >
      {slots.length === 0 ? (
        <p class="muted">No slot is set.</p>
      ) : (
        <div class="scroll-x" tabIndex={0} role="group" aria-label="Storage">
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Slot</th>
                <th scope="col">Value</th>
              </tr>
            </thead>
            <tbody>
              {slots.map(([hash, { key, value: word }]) => (
                <tr key={hash}>
                  <td>
                    {key === null ? (
                      <Hash value={hash} name={`keccak ${hash.slice(0, 12)}…`} />
                    ) : (
                      <Hash value={key} />
                    )}
                  </td>
                  <td class="mono break">{word.replace(/^0x0+(?=.)/, '0x')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}
