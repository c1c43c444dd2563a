import type { FaultAction, FaultMatch } from './faultSchema.js'

/** A fault with all schema defaults filled in, so that startup need not load the schema. */
export interface ScenarioFault {
  id: string
  match: FaultMatch
  action: FaultAction
}

/** A named set of faults; docs/scenarios has a page for each. */
export interface Scenario {
  summary: string
  faults: readonly ScenarioFault[]
}

/** Scenarios by name. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  'rate-limited': {
    summary: 'Every third JSON-RPC request over HTTP exceeds the rate limit: 429',
    faults: [
      {
        id: 'rate-limited',
        match: { transport: 'http', every: 3 },
        action: { type: 'quota', span: 'second' },
      },
    ],
  },
  'flaky-network': {
    summary: 'Connections break, answers are cut short, and everything is slow',
    faults: [
      {
        id: 'flaky-delay',
        match: {},
        action: { type: 'delay', milliseconds: { minimum: 20, maximum: 400 } },
      },
      { id: 'flaky-close', match: { transport: 'http', probability: 0.1 }, action: { type: 'close' } },
      {
        id: 'flaky-cut',
        match: { transport: 'http', probability: 0.05 },
        action: { type: 'cut', bytes: 20 },
      },
      {
        id: 'flaky-gateway',
        match: { transport: 'http', probability: 0.05 },
        action: {
          type: 'status',
          status: 502,
          body: 'Bad Gateway\n',
          contentType: 'text/plain; charset=utf-8',
        },
      },
    ],
  },
  'websocket-death': {
    summary: 'A WebSocket dies without a close frame at its tenth call, and pushes no events before that',
    faults: [
      { id: 'websocket-silence', match: { transport: 'websocket' }, action: { type: 'drop-events' } },
      {
        id: 'websocket-death',
        match: { transport: 'websocket', every: 10 },
        action: { type: 'close-websocket', frame: false, code: 1011, reason: '' },
      },
    ],
  },
  'lagging-backend': {
    summary: 'Two of five calls reach a backend that is two blocks behind',
    faults: [{ id: 'lagging-backend', match: { probability: 0.4 }, action: { type: 'lag', blocks: 2 } }],
  },
  'archive-missing': {
    summary: 'The state of blocks more than 128 behind the head is missing',
    faults: [{ id: 'archive-missing', match: {}, action: { type: 'missing-history', blocks: 128 } }],
  },
  'outage-with-failover': {
    summary: 'The primary is down; estimates and proofs go to the partner if plan and header ask for it',
    faults: [{ id: 'outage', match: { transport: ['http', 'websocket'] }, action: { type: 'outage' } }],
  },
  'quota-exhausted': {
    summary:
      "The day's credits are spent: 402 for every JSON-RPC request over HTTP, and WebSockets are closed",
    faults: [
      {
        id: 'quota-exhausted',
        match: { transport: ['http', 'upgrade'] },
        action: { type: 'quota', span: 'day' },
      },
      {
        id: 'quota-severed',
        match: { transport: 'websocket' },
        action: {
          type: 'close-websocket',
          frame: true,
          code: 1008,
          reason: 'daily credit limit reached',
        },
      },
    ],
  },
  'slow-gateway': {
    summary: 'The file network takes seconds to answer, and sends 16 KiB per second',
    faults: [
      {
        id: 'slow-gateway-delay',
        match: { transport: 'files' },
        action: { type: 'delay', milliseconds: { minimum: 1000, maximum: 3000 } },
      },
      {
        id: 'slow-gateway',
        match: { transport: 'files' },
        action: { type: 'throttle', bytesPerSecond: 16_384 },
      },
    ],
  },
}
