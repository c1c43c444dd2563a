import { render } from 'preact'
import './styles/tokens.css'
import './styles/base.css'
import './styles/button.css'
import './styles/form.css'
import { startEvents } from './api/events.js'
import { endFirstReads, waitForReads } from './api/firstReads.js'
import { loadNode } from './api/node.js'
import { App, beginView } from './shell/app.js'

/** Maximum milliseconds that the first view waits for its rows, which saves a second layout. */
const firstViewTimeout = 150

const root = document.getElementById('page')
if (root !== null) {
  beginView()
  void loadNode()
  startEvents()
  await waitForReads(firstViewTimeout)
  render(<App />, root)
  endFirstReads()
}
