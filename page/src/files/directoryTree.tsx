import { useState } from 'preact/hooks'
import { useLive } from '../api/useLive.js'
import { Icon } from '../parts/icon.js'
import { link } from '../shell/router.js'
import { isDirectory, joinPath, placeOf, readDirectory } from './mfs.js'
import './directoryTree.css'

/** Maximum number of subdirectories to show; the table shows all. */
const maxShown = 200

/** Tree of the MFS directories, expanded down to the open one. */
export function DirectoryTree({ opened }: { opened: readonly string[] }) {
  return (
    <nav class="panel tree" aria-label="Directories">
      <ul>
        <Branch path={[]} opened={opened} />
      </ul>
    </nav>
  )
}

function Branch({ path, opened }: { path: readonly string[]; opened: readonly string[] }) {
  const isOnTheWay = path.every((name, place) => opened[place] === name)
  const isOpened = isOnTheWay && path.length === opened.length
  const [isUnfolded, setUnfolded] = useState<boolean>()
  const shown = isUnfolded ?? isOnTheWay
  const name = path.at(-1) ?? 'Files'
  return (
    <li>
      <span class="branch">
        <button
          type="button"
          class="icon-button small"
          aria-expanded={shown}
          aria-label={`${shown ? 'Collapse' : 'Expand'} ${name}`}
          onClick={() => setUnfolded(!shown)}
        >
          <Icon name="down" />
        </button>
        <a href={link(placeOf(path))} aria-current={isOpened ? 'page' : undefined}>
          <Icon name="folder" />
          <span>{name}</span>
        </a>
      </span>
      {shown && <Children path={path} opened={opened} />}
    </li>
  )
}

function Children({ path, opened }: { path: readonly string[]; opened: readonly string[] }) {
  const directory = joinPath(path)
  const { value = [] } = useLive(
    async () => (await readDirectory(directory)).filter(isDirectory),
    [directory],
    ['files'],
  )
  if (value.length === 0) return null
  return (
    <ul>
      {value.slice(0, maxShown).map(({ Name }) => (
        <Branch key={Name} path={[...path, Name]} opened={opened} />
      ))}
      {value.length > maxShown && <li class="muted">and {value.length - maxShown} more</li>}
    </ul>
  )
}
