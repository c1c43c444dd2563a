import { get } from '../api/control.js'

/** An active fault; see `/_standin/faults`. */
export interface Fault {
  id: string
  match: Readonly<Record<string, unknown>>
  action: Readonly<Record<string, unknown>> & { type: string }
  /** Requests that matched, before nth, every and probability. */
  seen: number
  /** Requests hit. */
  hits: number
}

/** Reads the active faults in the order they were set. */
export function readFaults(): Promise<Fault[]> {
  return get<Fault[]>('/faults')
}

/** Form field for a member of an action. */
export interface ActionField {
  name: string
  label: string
  type: 'number' | 'text' | 'span'
  value?: string | number
}

/** Actions of faults with their fields. */
export const actions: Readonly<Record<string, readonly ActionField[]>> = {
  status: [
    { name: 'status', label: 'HTTP status', type: 'number', value: 503 },
    { name: 'body', label: 'Body', type: 'text', value: 'Service Unavailable' },
  ],
  error: [
    { name: 'code', label: 'Code', type: 'number', value: -32000 },
    { name: 'message', label: 'Message', type: 'text', value: 'header not found' },
  ],
  quota: [{ name: 'span', label: 'Credits per', type: 'span' }],
  delay: [{ name: 'milliseconds', label: 'Milliseconds', type: 'number', value: 2000 }],
  throttle: [{ name: 'bytesPerSecond', label: 'Bytes per second', type: 'number', value: 1024 }],
  cut: [{ name: 'bytes', label: 'Bytes of the body to send', type: 'number', value: 20 }],
  close: [],
  hang: [],
  'close-websocket': [
    { name: 'code', label: 'Code', type: 'number', value: 1011 },
    { name: 'reason', label: 'Reason', type: 'text' },
  ],
  'idle-close': [{ name: 'milliseconds', label: 'Milliseconds', type: 'number', value: 5000 }],
  'drop-events': [],
  lag: [{ name: 'blocks', label: 'Blocks', type: 'number', value: 2 }],
  'missing-history': [{ name: 'blocks', label: 'Blocks', type: 'number', value: 128 }],
  outage: [],
}

/** Formats the members of an object on one line. The node has masked API keys in them. */
export function describeMembers(members: Readonly<Record<string, unknown>>): string {
  return Object.entries(members)
    .filter(([name, value]) => name !== 'type' && value !== undefined && value !== '')
    .map(([name, value]) => `${name} ${describeValue(value)}`)
    .join(', ')
}

function describeValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
