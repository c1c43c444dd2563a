import { useState } from 'preact/hooks'
import { read } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { shortenWord } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Panel } from '../parts/panel.js'
import type { PlainColumn } from '../parts/plainTable.js'
import { PlainTable } from '../parts/plainTable.js'
import { Loaded } from '../parts/state.js'
import { currentNetwork, link } from '../shell/router.js'
import type { Block } from './wire.js'

interface StorageRange {
  storage: Record<string, { key: string | null; value: string }>
  nextKey: string | null
}

type Slot = readonly [hash: string, { key: string | null; value: string }]

/** Slots per page. */
const pageSize = 100

const zero = `0x${'0'.repeat(64)}`

/** A contract's slots in trie order, page by page. */
export function StoragePanel({ address }: { address: string }) {
  const [start, setStart] = useState(zero)
  const range = useLive(
    async () => {
      const head = await read<Block>('eth_getBlockByNumber', 'latest', false)
      const after = head.transactions.length
      return read<StorageRange>('debug_storageRangeAt', head.hash, after, address, start, pageSize)
    },
    [address, start, currentNetwork.value],
    ['chain'],
  )
  const columns: readonly PlainColumn<Slot>[] = [
    {
      title: 'Slot',
      // A slot with an unknown key is identified by its hash in the trie.
      cell: ([hash, { key }]) =>
        key === null ? (
          <Hash value={hash} name={`keccak ${hash.slice(0, 12)}…`} />
        ) : (
          <Hash value={key} name={shortenWord(key)} />
        ),
    },
    {
      title: 'Value',
      cell: ([, { value }]) => <span class="mono break">{value.replace(/^0x0+(?=.)/, '0x')}</span>,
    },
    {
      title: 'Proof',
      isTitleHidden: true,
      align: 'right',
      cell: ([, { key }]) =>
        key !== null && (
          <a href={link(`chain/account/${address}/proof`, { slot: key })} aria-label={`Prove slot ${key}`}>
            Prove
          </a>
        ),
    },
  ]
  return (
    <Loaded from={range}>
      {({ storage, nextKey }) => (
        <Panel
          title="Storage"
          actions={
            <>
              {start !== zero && (
                <button type="button" class="button" onClick={() => setStart(zero)}>
                  First page
                </button>
              )}
              {nextKey !== null && (
                <button type="button" class="button" onClick={() => setStart(nextKey)}>
                  Next page
                </button>
              )}
            </>
          }
        >
          {Object.keys(storage).length === 0 ? (
            <p class="muted">No slot is set.</p>
          ) : (
            <PlainTable
              label="Storage"
              columns={columns}
              rows={Object.entries(storage)}
              rowKey={([hash]) => hash}
            />
          )}
        </Panel>
      )}
    </Loaded>
  )
}
