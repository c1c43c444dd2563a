import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { createPage, servePage } from './page.js'

/** What the app shows. */
export interface AppSetup {
  /** What health answers with; asked each time. */
  health: () => Readonly<Record<string, unknown>>
  /** The controls, mounted under `/_standin`. */
  control?: (() => Promise<Hono>) | undefined
}

/** The routes that are no hot ones: the page for browsers, health, the controls. */
export async function createAppListener(setup: AppSetup): Promise<RequestListener> {
  const app = new Hono()
  app.get('/', servePage)
  app.route('/_standin/page', createPage())
  app.get('/_standin/page', (context) => context.redirect('/_standin/page/'))
  app.get('/_standin/health', (context) => context.json(setup.health(), setup.health()['ready'] ? 200 : 503))
  if (setup.control !== undefined) app.route('/_standin', await setup.control())
  app.notFound((context) => context.body(null, 404, { 'content-length': '0' }))
  // The globals stay Node's own.
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  return (request, response) => void listener(request, response)
}
