import { TimeSlice } from '../../encoding/timeSlice.js'
import type { MethodTally } from '../../provider/journal/usage.js'
import type { Provider } from '../../provider/provider.js'
import type { ControlSetup } from '../app.js'
import type { ControlRoute } from '../route.js'

/** Route of metrics in Prometheus' text format. */
export function metricsRoutes({ provider }: ControlSetup): ControlRoute[] {
  return [
    {
      method: 'get',
      path: '/metrics',
      summary: 'Get metrics for Prometheus',
      answer: 'Text exposition format, version 0.0.4',
      handle: async (context) => {
        const { text, contentType } = await formatMetrics(provider)
        return context.body(text, 200, { 'content-type': contentType })
      },
    },
  ]
}

/** Counters per method, with the value of each in a tally. */
const counters: readonly { name: string; help: string; pick: (tally: Readonly<MethodTally>) => number }[] = [
  { name: 'requests', help: 'Completed requests', pick: ({ calls }) => calls },
  { name: 'failed_requests', help: 'Failed requests', pick: ({ failed }) => failed },
  { name: 'credits', help: 'Credits that requests cost or would have cost', pick: ({ credits }) => credits },
  { name: 'answer_bytes', help: 'Bytes of all answers', pick: ({ bytes }) => bytes },
  { name: 'seconds', help: 'Time spent on requests', pick: ({ milliseconds }) => milliseconds / 1000 },
]

/**
 * Formats the metrics of a provider.
 *
 * They are computed from the tallies at each scrape: counting twice would cost every request.
 */
async function formatMetrics(provider: Provider): Promise<{ text: string; contentType: string }> {
  // Load the library on the first scrape only.
  const { Counter, Gauge, Registry } = await import('prom-client')
  const slice = new TimeSlice()
  const texts: string[] = []
  for (const { name, help, pick } of counters) {
    // A registry formats all its metrics in one step.
    const own = new Registry()
    const counter = new Counter({
      name: `standin_${name}_total`,
      help,
      labelNames: ['method'],
      registers: [own],
    })
    for (const [method, tally] of provider.usage.tallies()) counter.inc({ method }, pick(tally))
    texts.push(await own.metrics())
    await slice.pause()
  }
  const registry = new Registry()
  const gauge = (name: string, help: string, value: number): void =>
    new Gauge({ name: `standin_${name}`, help, registers: [registry] }).set(value)
  gauge('connections', 'Open WebSockets', provider.connections.size)
  gauge('faults', 'Active faults', provider.faults.size)
  const { rss, heapUsed } = process.memoryUsage()
  gauge('resident_memory_bytes', 'Resident memory of the process', rss)
  gauge('heap_used_bytes', 'Used heap of the process', heapUsed)
  gauge('uptime_seconds', 'Time since the process started', process.uptime())
  texts.push(await registry.metrics())
  return { text: texts.join('\n'), contentType: registry.contentType }
}
