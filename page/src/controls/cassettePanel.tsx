import { useState } from 'preact/hooks'
import { get } from '../api/control.js'
import { useLive } from '../api/useLive.js'
import { formatDate, formatNumber } from '../parts/format.js'
import { Facts, Panel } from '../parts/panel.js'
import type { PlainColumn } from '../parts/plainTable.js'
import { PlainTable } from '../parts/plainTable.js'
import { Loaded } from '../parts/state.js'

/** The cassette in use; see `/_standin/cassette`. */
interface Cassette {
  state: 'none' | 'recording' | 'replaying'
  path?: string
  mode?: string
  /** Number of calls and file requests by source of the answer. */
  answers?: Readonly<Record<'replayed' | 'recorded' | 'own' | 'refused', number>>
  file?: { version: number; modified: string; entries: number; upstream?: string }
}

/** An entry; see `/_standin/cassette/entries`. */
interface Entry {
  network?: string
  method: string
  params: string
  answer?: string
  error?: string
  times: number
  used?: number
}

interface EntryPage {
  entries: readonly Entry[]
  next?: number
}

/** Entries per page. */
const PAGE_LENGTH = 20

/** The cassette in use, with counts by source of the answer; nothing without a cassette. */
export function CassettePanel() {
  const { value: cassette } = useLive(() => get<Cassette>('/cassette'), [], ['controls', 'requests'])
  const { answers, file, path, mode, state } = cassette ?? {}
  if (answers === undefined || file === undefined) return null
  return (
    <Panel title="Cassette">
      <Facts
        rows={[
          ['State', mode === undefined ? state : `${state}, ${mode}`],
          ['File', <span class="mono break">{path}</span>],
          ['Version', file.version],
          [state === 'recording' ? 'Started' : 'Closed', formatDate(Date.parse(file.modified))],
          state === 'replaying' ? ['Entries', formatNumber(file.entries)] : undefined,
          file.upstream === undefined
            ? undefined
            : ['Provider', <span class="mono break">{file.upstream}</span>],
          ['Answered from the file', formatNumber(answers.replayed)],
          ['Recorded from the provider', formatNumber(answers.recorded)],
          ['Answered by this node', formatNumber(answers.own)],
          ['Refused: not recorded', formatNumber(answers.refused)],
        ]}
      />
      <Entries key={`${state} ${path}`} />
    </Panel>
  )
}

const columns: readonly PlainColumn<Entry>[] = [
  { title: 'Method', isHeader: true, cell: ({ method }) => <span class="mono">{method}</span> },
  { title: 'Parameters', cell: ({ params }) => <span class="mono break">{params}</span> },
  { title: 'Answer', cell: ({ answer, error }) => <span class="mono break">{error ?? answer}</span> },
  { title: 'Recorded', align: 'right', cell: ({ times }) => formatNumber(times) },
  { title: 'Used', align: 'right', cell: ({ used }) => (used === undefined ? '' : formatNumber(used)) },
]

/** The cassette's entries, page by page. */
function Entries() {
  /** Prefix of the method. */
  const [method, setMethod] = useState('')
  /** Start of this page and all previous ones. */
  const [starts, setStarts] = useState<readonly number[]>([0])
  const from = starts.at(-1)
  const read = useLive(
    () => get<EntryPage>('/cassette/entries', { method: `${method}*`, from, limit: PAGE_LENGTH }),
    [method, from],
    ['controls', 'requests'],
  )
  return (
    <>
      <label class="field">
        Filter by method
        <input
          type="search"
          placeholder="eth_call"
          spellcheck={false}
          onInput={(event) => {
            setMethod(event.currentTarget.value.trim().replace(/\*$/, ''))
            setStarts([0])
          }}
        />
      </label>
      <Loaded from={read}>
        {({ entries, next }) => (
          <>
            {entries.length === 0 ? (
              <p class="muted">{method === '' ? 'No entries yet.' : 'No entries of this method.'}</p>
            ) : (
              <PlainTable
                label="Entries of the cassette"
                columns={columns}
                rows={entries}
                rowKey={(_, index) => index}
              />
            )}
            <div class="row">
              <button
                type="button"
                class="button"
                disabled={starts.length === 1}
                onClick={() => setStarts(starts.slice(0, -1))}
              >
                Previous entries
              </button>
              <button
                type="button"
                class="button"
                disabled={next === undefined}
                onClick={() => next !== undefined && setStarts([...starts, next])}
              >
                Next entries
              </button>
            </div>
          </>
        )}
      </Loaded>
    </>
  )
}
