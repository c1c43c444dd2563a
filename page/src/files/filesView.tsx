import { node } from '../api/node.js'
import { lazy } from '../shell/lazy.js'
import { link, navigate } from '../shell/router.js'
import { announceFailure } from '../parts/announcer.js'
import { parseCid } from './cid.js'
import { DirectoryView } from './directoryView.js'

const PinsView = lazy(() => import('./pinsView.js').then(({ PinsView: view }) => view))
const DagView = lazy(() => import('./dagView.js').then(({ DagView: view }) => view))

const places = [
  ['mfs', 'Files'],
  ['pins', 'Pins and space'],
] as const

/** The file network: mutable files, pins, and the DAG of each CID. */
export function FilesView({ path }: { path: readonly string[] }) {
  // The provider has no mutable files, nor has the node in strict mode.
  const hasMutable = node.value?.mode !== 'strict'
  const [kind = hasMutable ? 'mfs' : 'pins', ...rest] = path
  return (
    <>
      <div class="bar">
        <div class="subnav" role="group" aria-label="Files">
          {places.slice(hasMutable ? 0 : 1).map(([place, title]) => (
            <a key={place} href={link(`files/${place}`)} aria-current={kind === place ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </div>
        <Search />
      </div>
      {kind === 'pins' ? (
        <PinsView />
      ) : kind === 'dag' ? (
        <DagView key={rest[0]} text={rest[0] ?? ''} />
      ) : (
        <DirectoryView path={rest} />
      )}
    </>
  )
}

function Search() {
  const find = (event: SubmitEvent): void => {
    event.preventDefault()
    const text = new FormData(event.currentTarget as HTMLFormElement).get('cid')
    const cid = typeof text === 'string' ? text.trim().replace(/^\/?ipfs\//, '') : ''
    if (parseCid(cid) === undefined) announceFailure('Expected a CID')
    else navigate(`files/dag/${cid}`)
  }
  return (
    <form role="search" class="search" onSubmit={find}>
      <input type="search" name="cid" aria-label="Open a CID" placeholder="CID" spellcheck={false} />
    </form>
  )
}
