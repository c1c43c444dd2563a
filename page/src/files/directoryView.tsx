import { useState } from 'preact/hooks'
import { changeFiles } from '../api/files.js'
import { node } from '../api/node.js'
import { useLive } from '../api/useLive.js'
import { attempt } from '../parts/announcer.js'
import { ActionForm } from '../parts/form.js'
import { formatBytes } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Icon } from '../parts/icon.js'
import { Split } from '../parts/sidePanel.js'
import { EmptyState, Failure, Loading } from '../parts/state.js'
import type { Column } from '../parts/virtualTable.js'
import { VirtualTable } from '../parts/virtualTable.js'
import { changeQuery, link, navigate, route } from '../shell/router.js'
import { DirectoryTree } from './directoryTree.js'
import { FilePanel } from './filePanel.js'
import type { Entry } from './mfs.js'
import { isDirectory, isKnown, joinPath, placeOf, readDirectory, readNames } from './mfs.js'
import { MovePath } from './movePath.js'
import { UploadArea } from './uploadArea.js'
import './directoryView.css'

const columns: readonly Column<Entry>[] = [
  {
    title: 'Name',
    width: 'minmax(8rem, 2fr)',
    cell: (entry) => (
      <span class="file-name">
        {isKnown(entry) ? <Icon name={isDirectory(entry) ? 'folder' : 'file'} /> : <span class="icon" />}
        <span>{entry.Name}</span>
        {isDirectory(entry) && <span class="visually-hidden">, directory</span>}
      </span>
    ),
  },
  {
    title: 'CID',
    width: 'minmax(9rem, 1fr)',
    wideOnly: true,
    cell: (entry) => isKnown(entry) && <Hash value={entry.Hash} kind="cid" />,
  },
  {
    title: 'Size',
    width: '6rem',
    align: 'right',
    cell: (entry) => (isDirectory(entry) || !isKnown(entry) ? '' : formatBytes(entry.Size)),
  },
]

/** An MFS directory with the directory tree. */
export function DirectoryView({ path }: { path: readonly string[] }) {
  const directory = joinPath(path)
  const { value: named } = useLive(() => readNames(directory), [directory])
  const { value: listed, error } = useLive(() => readDirectory(directory), [directory], ['files'])
  const value = listed ?? named
  const [text, setText] = useState('')
  const opened = route.value.query.get('file') ?? undefined
  if (value === undefined && error === undefined) return <Loading />
  const wanted = text.trim().toLowerCase()
  const entries = (value ?? []).filter(({ Name }) => Name.toLowerCase().includes(wanted))
  const file = listed?.find(({ Name }) => Name === opened)
  const open = (entry: Entry): void => {
    if (!isKnown(entry)) return
    if (isDirectory(entry)) navigate(placeOf([...path, entry.Name]))
    else changeQuery({ file: entry.Name })
  }
  return (
    <div class="files">
      <DirectoryTree opened={path} />
      <UploadArea directory={directory}>
        <nav class="crumbs" aria-label="Directory">
          <a href={link('files/mfs')}>Files</a>
          {path.map((name, place) => (
            <a key={place} href={link(placeOf(path.slice(0, place + 1)))}>
              {name}
            </a>
          ))}
          <NewDirectory directory={directory} />
        </nav>
        {path.length > 0 && <DirectoryActions path={path} />}
        {error !== undefined && <Failure message={error} />}
        {value !== undefined && value.length === 0 ? (
          <NoFiles isRoot={path.length === 0} />
        ) : (
          <>
            <input
              type="search"
              aria-label="Filter by name"
              placeholder={`Filter ${value?.length ?? 0} entries by name`}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
            <Split
              isShort
              side={
                file === undefined ? undefined : (
                  <FilePanel
                    entry={file}
                    directory={directory}
                    onClose={() => changeQuery({ file: undefined })}
                  />
                )
              }
            >
              <VirtualTable
                label={`Entries of ${directory}`}
                columns={columns}
                count={entries.length}
                row={(index) => entries[index]}
                rowKey={({ Name }) => Name}
                selected={opened}
                onOpen={open}
              />
            </Split>
          </>
        )}
      </UploadArea>
    </div>
  )
}

/** Moves, renames or removes the open directory. */
function DirectoryActions({ path }: { path: readonly string[] }) {
  const directory = joinPath(path)
  const remove = async (): Promise<void> => {
    const isRemoved = await attempt(
      () => changeFiles('files/rm', { arg: directory, recursive: true }),
      'Directory removed',
    )
    if (isRemoved) navigate(placeOf(path.slice(0, -1)))
  }
  return (
    <details class="directory-actions">
      <summary>Move or remove this directory</summary>
      <MovePath
        path={directory}
        onMoved={(moved) => navigate(placeOf(moved.split('/').filter((name) => name !== '')))}
      />
      <button type="button" class="button danger" onClick={() => void remove()}>
        <Icon name="trash" />
        Remove with all its files
      </button>
    </details>
  )
}

function NewDirectory({ directory }: { directory: string }) {
  return (
    <ActionForm
      label="New directory"
      submit="Create"
      done="Directory created"
      clears
      run={(field) => changeFiles('files/mkdir', { arg: joinPath([directory, field('name')]) })}
    >
      <input name="name" aria-label="Name of a new directory" placeholder="New directory" required />
    </ActionForm>
  )
}

function NoFiles({ isRoot }: { isRoot: boolean }) {
  const url = node.value?.urls.ipfsUrl ?? ''
  return (
    <EmptyState
      title={isRoot ? 'No files yet' : 'This directory is empty'}
      script={`curl -s -X POST -F file=@README.md '${url}/api/v0/add?to-files=/README.md'`}
    >
      <p>Drop files here, or add one from a terminal:</p>
    </EmptyState>
  )
}
