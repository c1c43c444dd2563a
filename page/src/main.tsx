import { render } from 'preact'
import './styles/tokens.css'
import './styles/base.css'
import './styles/button.css'
import './styles/form.css'
import { startEvents } from './api/events.js'
import { endFirstReads } from './api/firstReads.js'
import { loadNode } from './api/node.js'
import { App, beginView } from './shell/app.js'

const root = document.getElementById('page')
if (root !== null) {
  beginView()
  void loadNode()
  startEvents()
  render(<App />, root)
  endFirstReads()
}
