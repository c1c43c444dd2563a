/** The micro sign and the Greek letter, which look the same, both name microseconds (Go, `time.ParseDuration`). */
const unitsInMilliseconds = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['\u00b5s', 1e-3],
  ['\u03bcs', 1e-3],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
])

const unit = [...unitsInMilliseconds.keys()].join('|')
const duration = new RegExp(`^([+-]?)(?:(?:\\d+\\.?\\d*|\\.\\d+)(?:${unit}))+$`)

/** A Go duration such as `1m30s` or `250ms` in milliseconds; undefined when it is none. */
export function parseGoDuration(text: string): number | undefined {
  if (text === '0') return 0
  const match = duration.exec(text)
  if (match === null) return undefined
  let milliseconds = 0
  for (const [, amount, name] of text.matchAll(new RegExp(`(\\d+\\.?\\d*|\\.\\d+)(${unit})`, 'g'))) {
    milliseconds += Number(amount) * (unitsInMilliseconds.get(name ?? '') ?? 0)
  }
  return match[1] === '-' ? -milliseconds : milliseconds
}
