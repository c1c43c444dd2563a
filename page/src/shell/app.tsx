import { effect } from '@preact/signals'
import { nodeFailure } from '../api/node.js'
import { beginBlocks } from '../chain/blocksView.js'
import { ChainView } from '../chain/chainView.js'
import { FilesView } from '../files/filesView.js'
import { beginDirectory } from '../files/mfs.js'
import { Announcer } from '../parts/announcer.js'
import { Failure } from '../parts/state.js'
import { RequestsView, beginRequests } from '../requests/requestsView.js'
import { Access } from './access.js'
import { Header } from './header.js'
import { lazy } from './lazy.js'
import { route } from './router.js'

const ControlsView = lazy(() => import('../controls/controlsView.js').then(({ ControlsView: view }) => view))

const titles: Readonly<Record<string, string>> = {
  requests: 'Requests',
  chain: 'Chain',
  files: 'Files',
  controls: 'Controls',
}

effect(() => {
  const [place = 'requests'] = route.value.path
  document.title = `${titles[place] ?? 'Standin'} · Standin`
})

/** Starts the first reads of the view in the URL. */
export function beginView(): void {
  const [place = 'requests', kind, ...rest] = route.value.path
  if (place === 'requests' && kind !== 'cost') beginRequests()
  if (place === 'chain' && (kind ?? 'blocks') === 'blocks') beginBlocks()
  if (place === 'files' && (kind ?? 'mfs') === 'mfs') beginDirectory(rest)
}

/** The page: the header, and the view in the URL. */
export function App() {
  const [place = 'requests', ...rest] = route.value.path
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to content
      </a>
      <Header place={place} />
      <main id="main" tabIndex={-1}>
        <h1 class="visually-hidden">{titles[place] ?? titles['requests']}</h1>
        {nodeFailure.value !== undefined && (
          <Failure message={`The node does not respond: ${nodeFailure.value}`} />
        )}
        {place === 'chain' ? (
          <ChainView path={rest} />
        ) : place === 'files' ? (
          <FilesView path={rest} />
        ) : place === 'controls' ? (
          <ControlsView path={rest} />
        ) : (
          <RequestsView path={rest} />
        )}
      </main>
      <Access />
      <Announcer />
    </>
  )
}

/** Moves the focus only, because the URL fragment belongs to the view. */
function skipToMain(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}
