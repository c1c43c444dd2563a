import type { ControlSetup } from '../app.js'
import type { ControlRoute } from '../route.js'

/** Routes of the run's usage. */
export function usageRoutes({ provider }: ControlSetup): ControlRoute[] {
  return [
    {
      method: 'get',
      path: '/usage',
      summary: 'Report what this run would have cost, and which limits it approached',
      answer: 'Totals by method and key, peaks, and the share of each plan that the run would have used',
      handle: (context) => context.json(provider.usage.report(provider.plans)),
    },
    {
      method: 'delete',
      path: '/usage',
      summary: 'Reset the counters; does not reset the quotas of keys',
      answer: 'Nothing',
      handle: (context) => {
        provider.usage.clear()
        return context.body(null, 204)
      },
    },
  ]
}
