import type { ControlSetup } from '../app.js'
import type { ControlRoute } from '../route.js'

/** Metrics in the text form of Prometheus. */
export function metricsRoutes({ provider }: ControlSetup): ControlRoute[] {
  return [
    {
      method: 'get',
      path: '/metrics',
      summary: 'Metrics for Prometheus',
      answer: 'Text in the exposition format 0.0.4',
      handle: async (context) => {
        // The library is loaded with the first scrape.
        const { formatMetrics } = await import('../metrics.js')
        const { text, contentType } = await formatMetrics(provider)
        return context.body(text, 200, { 'content-type': contentType })
      },
    },
  ]
}
