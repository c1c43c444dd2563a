import { Hono } from 'hono'
import { CassetteError } from '../cassette/lines.js'
import { TimeSlice, runInSlices } from '../encoding/timeSlice.js'
import { ConfigurationError } from '../provider/configuration.js'
import type { Provider } from '../provider/provider.js'
import type { ChainWatch } from './chainWatch.js'
import { type ControlRoute, mount } from './route.js'
import { describeApi } from './openApi.js'
import { type CassetteControl, cassetteRoutes } from './routes/cassette.js'
import { clockRoutes } from './routes/clocks.js'
import { contractRoutes } from './routes/contracts.js'
import { eventRoutes } from './routes/events.js'
import { faultRoutes, outageRoutes } from './routes/faults.js'
import { keyRoutes } from './routes/keys.js'
import { metricsRoutes } from './routes/metrics.js'
import { nodeRoutes } from './routes/node.js'
import { requestRoutes } from './routes/requests.js'
import { usageRoutes } from './routes/usage.js'

/** Creates the control API, to be mounted at `/_standin`. Access must already have been checked. */
export function createControl(setup: ControlSetup): Hono {
  const app = new Hono()
  let changes = 0
  app.use(async (context, next) => {
    await next()
    if (context.req.method !== 'GET' && context.res.ok) changes += 1
  })
  const routes: ControlRoute[] = [
    ...nodeRoutes(setup),
    ...eventRoutes(setup, () => changes),
    ...requestRoutes(setup),
    ...usageRoutes(setup),
    ...metricsRoutes(setup),
    ...faultRoutes(setup),
    ...outageRoutes(setup),
    ...keyRoutes(setup),
    ...clockRoutes(setup),
    ...cassetteRoutes(setup),
    ...contractRoutes(setup),
  ]
  app.get('/openapi.json', async (context) =>
    context.json(await runInSlices(describeApi(routes, setup.version), new TimeSlice())),
  )
  mount(app, routes)
  app.onError((error, context) => {
    if (error instanceof ConfigurationError || error instanceof CassetteError) {
      return context.json({ error: error.message }, 400)
    }
    throw error
  })
  return app
}

/** Dependencies of the control routes. */
export interface ControlSetup {
  provider: Provider
  /** Names of the node's networks. */
  networks: readonly string[]
  /** Version of this package. */
  version: string
  /** Members of the `/node` answer besides version and mode. */
  describeNode: () => Readonly<Record<string, unknown>>
  /** Record of changes to the chains. */
  chains: ChainWatch
  /** Directory of compiled contracts; undefined if none was given. */
  artifacts: string | undefined
  cassette: CassetteControl
  /** Returns what a garbage collection of the file network would free. */
  garbage: () => Promise<{ blocks: number; bytes: number }>
}
