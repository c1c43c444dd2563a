import { useState } from 'preact/hooks'
import { changeFiles, readFiles } from '../api/files.js'
import { get } from '../api/control.js'
import { useLive } from '../api/useLive.js'
import { attempt } from '../parts/announcer.js'
import { Badge, EmptyState, Failure, Loading, Tile } from '../parts/basics.js'
import { count, formatBytes, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Icon } from '../parts/icon.js'
import type { Column } from '../parts/virtualTable.js'
import { VirtualTable } from '../parts/virtualTable.js'
import { node } from '../api/node.js'
import { navigate } from '../shell/router.js'
import type { Pin } from './pins.js'
import { readPins } from './pins.js'

const columns: readonly Column<Pin>[] = [
  { title: 'CID', width: 'minmax(8rem, 2fr)', cell: ({ Cid }) => <Hash value={Cid} kind="cid" /> },
  { title: 'Name', width: 'minmax(4rem, 1fr)', wideOnly: true, cell: ({ Name = '' }) => Name },
  {
    title: 'Type',
    width: '6rem',
    cell: ({ Type }) => <Badge tone={Type === 'indirect' ? 'neutral' : 'accent'}>{Type}</Badge>,
  },
  {
    title: 'Pin',
    width: '3rem',
    cell: ({ Cid, Type }) =>
      Type === 'indirect' ? null : (
        <button
          type="button"
          class="icon-button small"
          aria-label={`Unpin ${Cid}`}
          onClick={() =>
            void attempt(
              () => changeFiles('pin/rm', { arg: Cid, recursive: Type === 'recursive' }),
              'Unpinned',
            )
          }
        >
          <Icon name="trash" />
        </button>
      ),
  },
]

interface Repository {
  RepoSize: number
  NumObjects: number
}

/** Pins, how much space the file network takes, and what a garbage collection would free. */
export function PinsView() {
  const [withIndirect, setIndirect] = useState(false)
  const pins = useLive(() => readPins(withIndirect), [withIndirect], ['files'])
  const space = useLive(readSpace, [], ['files'])
  const collect = (): Promise<boolean> => attempt(() => changeFiles('repo/gc'), 'Garbage collected')
  const { value } = pins
  return (
    <>
      <dl class="tiles">
        <Tile label="Pins">{value === undefined ? '' : formatNumber(value.length)}</Tile>
        {space.value?.repository !== undefined && (
          <>
            <Tile label="Blocks">{formatNumber(space.value.repository.NumObjects)}</Tile>
            <Tile label="Space">{formatBytes(space.value.repository.RepoSize)}</Tile>
          </>
        )}
        <Tile label="Garbage" tone={(space.value?.garbage.blocks ?? 0) > 0 ? 'warn' : 'neutral'}>
          {space.value &&
            `${formatBytes(space.value.garbage.bytes)} in ${count(space.value.garbage.blocks, 'block')}`}
        </Tile>
      </dl>
      <div class="bar">
        <AddPin />
        <div class="actions">
          <label class="check">
            <input
              type="checkbox"
              checked={withIndirect}
              onChange={(event) => setIndirect(event.currentTarget.checked)}
            />
            Include indirect pins
          </label>
          <button
            type="button"
            class="button danger"
            disabled={space.value?.garbage.blocks === 0}
            onClick={() => void collect()}
          >
            Collect garbage
          </button>
        </div>
      </div>
      {[pins.error, space.error].map(
        (error) => error !== undefined && <Failure key={error} message={error} />,
      )}
      {value === undefined ? (
        pins.error === undefined && <Loading />
      ) : value.length === 0 ? (
        <NoPins />
      ) : (
        <VirtualTable
          label="Pins"
          columns={columns}
          count={value.length}
          row={(index) => value[index]}
          rowKey={({ Cid }) => Cid}
          onOpen={({ Cid }) => navigate(`files/dag/${Cid}`)}
        />
      )}
    </>
  )
}

async function readSpace() {
  const [repository, garbage] = await Promise.all([
    // Strict mode has no such operation.
    node.value?.mode === 'strict' ? undefined : readFiles<Repository>('repo/stat'),
    get<{ blocks: number; bytes: number }>('/files/garbage'),
  ])
  return { repository, garbage }
}

function AddPin() {
  const pin = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const fields = new FormData(form)
    const query = { arg: text(fields, 'cid'), name: text(fields, 'name') || undefined }
    if (await attempt(() => changeFiles('pin/add', query), 'Pinned')) form.reset()
  }
  return (
    <form class="row" aria-label="Pin" onSubmit={(event) => void pin(event)}>
      <input name="cid" aria-label="CID to pin" placeholder="CID" required spellcheck={false} />
      <input name="name" aria-label="Name of the pin" placeholder="Name" />
      <button type="submit" class="button">
        <Icon name="pin" />
        Pin
      </button>
    </form>
  )
}

function text(fields: FormData, name: string): string {
  const value = fields.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

function NoPins() {
  const url = node.value?.urls.ipfsUrl ?? ''
  return (
    <EmptyState title="No pins yet" script={`curl -s -X POST -F file=@README.md '${url}/api/v0/add'`}>
      <p>A file that is added is pinned, and what is pinned survives a garbage collection:</p>
    </EmptyState>
  )
}
