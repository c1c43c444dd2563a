import { useState } from 'preact/hooks'
import { changeFiles, readFiles } from '../api/files.js'
import { get } from '../api/control.js'
import { useLive } from '../api/useLive.js'
import { attempt } from '../parts/announcer.js'
import { Badge } from '../parts/badge.js'
import { ActionForm } from '../parts/form.js'
import { count, formatBytes, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Icon } from '../parts/icon.js'
import { Tile } from '../parts/panel.js'
import { EmptyState, Failure, Loaded } from '../parts/state.js'
import type { Column } from '../parts/virtualTable.js'
import { VirtualTable } from '../parts/virtualTable.js'
import { node } from '../api/node.js'
import { navigate } from '../shell/router.js'
import type { Pin } from './pins.js'
import { readPins } from './pins.js'

const columns: readonly Column<Pin>[] = [
  { title: 'CID', width: 'minmax(8rem, 2fr)', cell: ({ Cid }) => <Hash value={Cid} kind="cid" whole /> },
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

/** Pins, the space that the file network uses, and the space that a garbage collection would free. */
export function PinsView() {
  const [withIndirect, setIndirect] = useState(false)
  const pins = useLive(() => readPins(withIndirect), [withIndirect], ['files'])
  const space = useLive(readSpace, [], ['files'])
  const collect = (): Promise<boolean> => attempt(() => changeFiles('repo/gc'), 'Garbage collected')
  return (
    <>
      <SpaceTiles pins={pins.value?.length} space={space.value} />
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
      {space.error !== undefined && <Failure message={space.error} />}
      <Loaded from={pins}>
        {(list) =>
          list.length === 0 ? (
            <NoPins />
          ) : (
            <VirtualTable
              label="Pins"
              columns={columns}
              count={list.length}
              row={(index) => list[index]}
              rowKey={({ Cid, Type }) => `${Cid} ${Type}`}
              onOpen={({ Cid }) => navigate(`files/dag/${Cid}`)}
            />
          )
        }
      </Loaded>
    </>
  )
}

function SpaceTiles({ pins, space }: { pins: number | undefined; space: Space | undefined }) {
  return (
    <dl class="tiles">
      <Tile label="Pins">{pins === undefined ? '' : formatNumber(pins)}</Tile>
      {space?.repository !== undefined && (
        <>
          <Tile label="Blocks">{formatNumber(space.repository.NumObjects)}</Tile>
          <Tile label="Space">{formatBytes(space.repository.RepoSize)}</Tile>
        </>
      )}
      <Tile label="Garbage" tone={(space?.garbage.blocks ?? 0) > 0 ? 'warn' : 'neutral'}>
        {space && `${formatBytes(space.garbage.bytes)} in ${count(space.garbage.blocks, 'block')}`}
      </Tile>
    </dl>
  )
}

/** Space that the file network uses. */
interface Space {
  /** Undefined in strict mode, which lacks `repo/stat`. */
  repository: { RepoSize: number; NumObjects: number } | undefined
  /** Blocks and bytes that a garbage collection would free. */
  garbage: { blocks: number; bytes: number }
}

async function readSpace(): Promise<Space> {
  const [repository, garbage] = await Promise.all([
    node.value?.mode === 'strict' ? undefined : readFiles<Space['repository']>('repo/stat'),
    get<Space['garbage']>('/files/garbage'),
  ])
  return { repository, garbage }
}

function AddPin() {
  return (
    <ActionForm
      label="Pin"
      submit="Pin"
      done="Pinned"
      clears
      run={(field) => changeFiles('pin/add', { arg: field('cid'), name: field('name') || undefined })}
    >
      <input name="cid" aria-label="CID to pin" placeholder="CID" required spellcheck={false} />
      <input name="name" aria-label="Name of the pin" placeholder="Name" />
    </ActionForm>
  )
}

function NoPins() {
  const url = node.value?.urls.ipfsUrl ?? ''
  return (
    <EmptyState title="No pins yet" script={`curl -s -X POST -F file=@README.md '${url}/api/v0/add'`}>
      <p>Added files are pinned, and pinned files survive a garbage collection:</p>
    </EmptyState>
  )
}
