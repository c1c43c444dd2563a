import type { Difference } from '../support/classes.js'

/** Names what two answers to a request do not share; undefined if they are the same but for the order of members. */
export function compareAnswers(request: string, ours: string, theirs: string): Difference | undefined {
  if (ours === theirs) return undefined
  const [a, b] = [parse(ours), parse(theirs)]
  if (canonical(a) === canonical(b)) return undefined
  return { name: `${methodOf(request)} | ${classOf(a, b)}`, request, ours, theirs }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function methodOf(request: string): string {
  const parsed = parse(request)
  if (Array.isArray(parsed)) return 'batch'
  const method = isObject(parsed) ? parsed['method'] : undefined
  return typeof method === 'string' ? method : 'envelope'
}

function classOf(ours: unknown, theirs: unknown): string {
  if (!isObject(ours) || !isObject(theirs)) return `${firstDifference(ours, theirs)}`
  const [a, b] = [ours['error'], theirs['error']]
  if (a === undefined && b === undefined) return firstDifference(ours, theirs)
  return `${errorClass(a)} | ${errorClass(b)}`
}

function errorClass(error: unknown): string {
  if (!isObject(error)) return 'result'
  const { code, message, data } = error
  const text = String(message)
    .replace(/0x[0-9a-fA-F]*/g, '0x…')
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\d+/g, 'N')
  return `${String(code)} ${text}${data === undefined ? '' : ' with data'}`
}

/** Where two values first differ, without indices and keys, so that it names a class. */
function firstDifference(ours: unknown, theirs: unknown, path = ''): string {
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    if (ours.length !== theirs.length) return `${path}[] length`
    const at = ours.findIndex((item, index) => canonical(item) !== canonical(theirs[index]))
    return firstDifference(ours[at], theirs[at], `${path}[]`)
  }
  if (!isObject(ours) || !isObject(theirs)) return path === '' ? 'value' : path
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const place = `${path}.${name.startsWith('0x') ? '0x…' : name}`
    if (!(name in ours)) return `${place} missing here`
    if (!(name in theirs)) return `${place} missing there`
    if (canonical(ours[name]) !== canonical(theirs[name]))
      return firstDifference(ours[name], theirs[name], place)
  }
  return path
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** JSON text with members in the order of their names. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined'
  const members = Object.keys(value).sort()
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`
}
