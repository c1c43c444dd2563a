const unitsInMilliseconds = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
])

/** A Go duration such as `1m30s` or `250ms` in milliseconds; undefined when it is none. */
export function parseGoDuration(text: string): number | undefined {
  if (text === '0') return 0
  const match = /^([+-]?)((?:\d+\.?\d*|\.\d+)(?:ns|us|\u00b5s|ms|s|m|h))+$/.exec(text)
  if (match === null) return undefined
  let milliseconds = 0
  for (const [, amount, unit] of text.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|\u00b5s|ms|s|m|h)/g)) {
    milliseconds += Number(amount) * (unitsInMilliseconds.get(unit ?? '') ?? 0)
  }
  return match[1] === '-' ? -milliseconds : milliseconds
}
