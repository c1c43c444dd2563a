import { node } from '../api/node.js'
import { lazy } from '../shell/lazy.js'
import { navigate } from '../shell/router.js'
import { SearchField, Subnav } from '../parts/subnav.js'
import { parseCid } from './cid.js'
import { DirectoryView } from './directoryView.js'

const PinsView = lazy(() => import('./pinsView.js').then(({ PinsView: view }) => view))
const DagView = lazy(() => import('./dagView.js').then(({ DagView: view }) => view))

const places = [
  ['mfs', 'Files'],
  ['pins', 'Pins and space'],
] as const

/** The file network: MFS, pins, and the DAG of a CID. */
export function FilesView({ path }: { path: readonly string[] }) {
  // Like the provider, the node has no MFS in strict mode.
  const hasMutable = node.value?.mode !== 'strict'
  const [kind = hasMutable ? 'mfs' : 'pins', ...rest] = path
  return (
    <>
      <div class="bar">
        <Subnav label="Files" base="files" places={places.slice(hasMutable ? 0 : 1)} shown={kind} />
        <SearchField label="Open a CID" placeholder="CID" find={find} />
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

function find(text: string): void {
  const cid = text.replace(/^\/?ipfs\//, '')
  if (parseCid(cid) === undefined) throw new Error('Expected a CID')
  navigate(`files/dag/${cid}`)
}
