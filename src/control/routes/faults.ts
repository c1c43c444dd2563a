import * as z from 'zod'
import { faultSchema, faultsFileSchema } from '../../provider/faults/faultSchema.js'
import { scenarios } from '../../provider/faults/scenarios.js'
import type { ControlSetup } from '../app.js'
import { listPieces, sendJson } from '../jsonStream.js'
import { type ControlRoute, readBody } from '../route.js'
import { faultReportSchema } from '../schemas.js'

const bodySchema = z.union([faultsFileSchema, faultSchema])

/** Routes of faults and scenarios. */
export function faultRoutes({ provider }: ControlSetup): ControlRoute[] {
  return [
    {
      method: 'get',
      path: '/faults',
      summary: 'List the active faults, with their match and hit counts',
      answer: 'A list of faults',
      answerSchema: z.array(faultReportSchema),
      handle: (context) => sendJson(context, listPieces(provider.faults.list())),
    },
    {
      method: 'post',
      path: '/faults',
      summary: 'Set one or several faults; replaces faults with the same id',
      body: bodySchema,
      answer: 'The ids',
      handle: async (context) => {
        const body = await readBody(context, bodySchema)
        const faults = 'faults' in body ? body.faults : [body]
        return context.json({ ids: provider.faults.set(faults) }, 201)
      },
    },
    {
      method: 'delete',
      path: '/faults',
      summary: 'Remove all faults',
      answer: 'Number of faults removed',
      handle: (context) => context.json({ lifted: provider.faults.clear() }),
    },
    {
      method: 'delete',
      path: '/faults/:id',
      summary: 'Remove a fault',
      answer: 'Number of faults removed: 1, or 404',
      handle: (context) => {
        const id = context.req.param('id')
        if (provider.faults.clear(id) === 0) return context.json({ error: `there is no fault ${id}` }, 404)
        return context.json({ lifted: 1 })
      },
    },
    {
      method: 'get',
      path: '/scenarios',
      summary: 'List the built-in sets of faults',
      answer: 'Summary and faults of each, by name',
      handle: (context) => context.json(scenarios),
    },
    {
      method: 'post',
      path: '/scenarios/:name',
      summary: 'Set the faults of a scenario',
      answer: 'The ids',
      handle: (context) =>
        context.json({ ids: provider.startScenario(context.req.param('name') ?? '') }, 201),
    },
  ]
}

/** Routes of declared outages. */
export function outageRoutes({ provider, networks }: ControlSetup): ControlRoute[] {
  const { outages } = provider
  return [
    {
      method: 'get',
      path: '/outages',
      summary: 'List the networks whose primary is declared down',
      answer: 'Names of networks',
      handle: (context) => context.json([...outages]),
    },
    {
      method: 'put',
      path: '/outages/:network',
      summary: 'Declare the primary of a network down',
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
