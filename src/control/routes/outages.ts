import type { ControlSetup } from '../setup.js'
import type { ControlRoute } from '../route.js'

/** Outages that are declared. */
export function outageRoutes({ provider, networks }: ControlSetup): ControlRoute[] {
  const { outages } = provider
  return [
    {
      method: 'get',
      path: '/outages',
      summary: 'Networks whose primary is declared to be down',
      answer: 'Names',
      handle: (context) => context.json([...outages]),
    },
    {
      method: 'put',
      path: '/outages/:network',
      summary: 'Declare that the primary of a network is down',
      answer: 'Names of all networks that are down',
      handle: (context) => {
        const network = context.req.param('network') ?? ''
        if (!networks.includes(network)) return context.json({ error: `there is no network ${network}` }, 404)
        outages.add(network)
        return context.json([...outages])
      },
    },
    {
      method: 'delete',
      path: '/outages/:network',
      summary: 'End an outage',
      answer: 'Names of all networks that are down',
      handle: (context) => {
        outages.delete(context.req.param('network') ?? '')
        return context.json([...outages])
      },
    },
  ]
}
