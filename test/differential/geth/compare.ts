import type { Difference } from '../support/classes.js'

/**
 * Finds and names the difference of two answers to a request; undefined if they differ at most in the order of members.
 */
export function compareAnswers(request: string, ours: string, theirs: string): Difference | undefined {
  if (ours === theirs) return undefined
  const [a, b] = [parse(ours), parse(theirs)].map((answer) => inStandardForm(request, answer))
  if (canonical(a) === canonical(b)) return undefined
  const { name, ...at } = classOf(a, b)
  const shown = (value: unknown, whole: string): string =>
    value === undefined ? whole : `${JSON.stringify(value).slice(0, 400)} in ${whole}`
  return {
    name: `${methodOf(request)} | ${name}`,
    request,
    ours: shown(at.ours, ours),
    theirs: shown(at.theirs, theirs),
  }
}

/**
 * Removes members of an answer to eth_fillTransaction in which this node follows the standard and not geth. For fees
 * that the transaction's type lacks, geth has null; the standard omits them, or has the maximum price paid as
 * `gasPrice`.
 */
function inStandardForm(request: string, answer: unknown): unknown {
  if (!request.includes('eth_fillTransaction')) return answer
  if (Array.isArray(answer)) return answer.map((item) => inStandardForm(request, item))
  const result = isObject(answer) ? answer['result'] : undefined
  const tx = isObject(result) ? result['tx'] : undefined
  if (!isObject(answer) || !isObject(result) || !isObject(tx)) return answer
  const members = Object.entries(tx).filter(([name, value]) => {
    return (
      value !== null &&
      !(name === 'gasPrice' && tx['maxFeePerGas'] !== undefined && tx['maxFeePerGas'] !== null)
    )
  })
  return { ...answer, result: { ...result, tx: Object.fromEntries(members) } }
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

function classOf(ours: unknown, theirs: unknown): { name: string; ours?: unknown; theirs?: unknown } {
  if (!isObject(ours) || !isObject(theirs)) return firstDifference(ours, theirs, '')
  const [a, b] = [ours['error'], theirs['error']]
  if (a === undefined && b === undefined) return firstDifference(ours, theirs, '')
  return { name: `${errorClass(a)} | ${errorClass(b)}` }
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

/**
 * Returns the first difference of two values and a path to it. The path omits indices and hex keys, so that it names a
 * class.
 */
function firstDifference(
  ours: unknown,
  theirs: unknown,
  path: string,
): { name: string; ours: unknown; theirs: unknown } {
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    if (ours.length !== theirs.length)
      return { name: `${path}[] length`, ours: ours.length, theirs: theirs.length }
    const at = ours.findIndex((item, index) => canonical(item) !== canonical(theirs[index]))
    return firstDifference(ours[at], theirs[at], `${path}[]`)
  }
  if (!isObject(ours) || !isObject(theirs)) return { name: path === '' ? 'value' : path, ours, theirs }
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    if (canonical(ours[name]) === canonical(theirs[name])) continue
    const place = `${path}.${name.startsWith('0x') ? '0x…' : name}`
    if (!(name in ours)) return { name: `${place} missing here`, ours: undefined, theirs: theirs[name] }
    if (!(name in theirs)) return { name: `${place} missing there`, ours: ours[name], theirs: undefined }
    return firstDifference(ours[name], theirs[name], place)
  }
  return { name: path, ours, theirs }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Serializes a value as JSON with sorted members. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined'
  const members = Object.keys(value).sort()
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`
}
