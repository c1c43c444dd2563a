import { Counter, Gauge, Registry } from 'prom-client'
import type { MethodTally } from '../provider/journal/usage.js'
import type { Provider } from '../provider/provider.js'

/** What is counted by method, and where the tally has it. */
const counters: readonly { name: string; help: string; pick: (tally: Readonly<MethodTally>) => number }[] = [
  { name: 'requests', help: 'Requests that ended', pick: ({ calls }) => calls },
  { name: 'failed_requests', help: 'Requests that failed', pick: ({ failed }) => failed },
  { name: 'credits', help: 'Credits that requests cost or would cost', pick: ({ credits }) => credits },
  { name: 'answer_bytes', help: 'Bytes of answers', pick: ({ bytes }) => bytes },
  { name: 'seconds', help: 'Time that requests took', pick: ({ milliseconds }) => milliseconds / 1000 },
]

/**
 * The metrics of a provider.
 *
 * They are read from the tallies when somebody asks: counting twice would cost every request.
 */
export async function formatMetrics(provider: Provider): Promise<{ text: string; contentType: string }> {
  const registry = new Registry()
  for (const { name, help, pick } of counters) {
    const counter = new Counter({
      name: `standin_${name}_total`,
      help,
      labelNames: ['method'],
      registers: [registry],
    })
    for (const [method, tally] of provider.usage.tallies()) counter.inc({ method }, pick(tally))
  }
  gauge(registry, 'connections', 'Open WebSockets', provider.connections.size)
  gauge(registry, 'faults', 'Faults that are set', provider.faults.list().length)
  const { rss, heapUsed } = process.memoryUsage()
  gauge(registry, 'resident_memory_bytes', 'Resident memory of the process', rss)
  gauge(registry, 'heap_used_bytes', 'Used heap of the process', heapUsed)
  gauge(registry, 'uptime_seconds', 'Time since the process started', process.uptime())
  return { text: await registry.metrics(), contentType: registry.contentType }
}

function gauge(registry: Registry, name: string, help: string, value: number): void {
  new Gauge({ name: `standin_${name}`, help, registers: [registry] }).set(value)
}
