import { Hono } from 'hono'
import { ConfigurationError } from '../provider/errors.js'
import { describeApi } from './openapi.js'
import type { ControlRoute } from './route.js'
import { mount } from './route.js'
import { clockRoutes } from './routes/clocks.js'
import { contractRoutes } from './routes/contracts.js'
import { eventRoutes } from './routes/events.js'
import { faultRoutes } from './routes/faults.js'
import { keyRoutes } from './routes/keys.js'
import { metricsRoutes } from './routes/metrics.js'
import { nodeRoutes } from './routes/node.js'
import { outageRoutes } from './routes/outages.js'
import { requestRoutes } from './routes/requests.js'
import { usageRoutes } from './routes/usage.js'
import type { ControlSetup } from './setup.js'

/** The control API, to be mounted at `/_standin`. Who may use it has been decided before. */
export function createControl(setup: ControlSetup): Hono {
  const app = new Hono()
  const routes: ControlRoute[] = [
    ...nodeRoutes(setup),
    ...eventRoutes(setup),
    ...requestRoutes(setup),
    ...usageRoutes(setup),
    ...metricsRoutes(setup),
    ...faultRoutes(setup),
    ...outageRoutes(setup),
    ...keyRoutes(setup),
    ...clockRoutes(setup),
    ...contractRoutes(setup),
  ]
  app.get('/openapi.json', (context) => context.json(describeApi(routes, setup.version)))
  mount(app, routes)
  app.onError((error, context) => {
    if (error instanceof ConfigurationError) return context.json({ error: error.message }, 400)
    throw error
  })
  return app
}
