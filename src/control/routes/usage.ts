import type { ControlSetup } from '../setup.js'
import type { ControlRoute } from '../route.js'

/** What the run has come to. */
export function usageRoutes({ provider }: ControlSetup): ControlRoute[] {
  return [
    {
      method: 'get',
      path: '/usage',
      summary: 'What this run would have cost, and which limits it came near',
      answer: 'Totals by method and key, peaks, and the part of each plan that the run would have used',
      handle: (context) => context.json(provider.usage.report(provider.plans)),
    },
    {
      method: 'delete',
      path: '/usage',
      summary: 'Count from nothing again; what keys have spent stays spent',
      answer: 'Nothing',
      handle: (context) => {
        provider.usage.clear()
        return context.body(null, 204)
      },
    },
  ]
}
