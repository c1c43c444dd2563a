/** Created on first use: in a fresh browser process this takes tens of milliseconds. */
let day: Intl.DateTimeFormat | undefined

/** `1,234,567`, with at most three decimals. */
export function formatNumber(value: number | bigint): string {
  const rounded = typeof value === 'bigint' ? value : Math.round(value * 1000) / 1000
  const [whole = '', fraction] = String(rounded).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** `14:03:11` or `14:03:11.250`, from milliseconds since 1970. */
export function formatClock(milliseconds: number, shown = { milliseconds: false }): string {
  const date = new Date(milliseconds)
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()]
  const second = parts.map((part) => String(part).padStart(2, '0')).join(':')
  if (!shown.milliseconds) return second
  return `${second}.${String(Math.round(milliseconds) % 1000).padStart(3, '0')}`
}

/** A date with its time, from milliseconds since 1970. */
export function formatDate(milliseconds: number): string {
  day ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
  return day.format(milliseconds)
}

/** `0.42 ms`, `1.3 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`
  if (milliseconds >= 100) return `${Math.round(milliseconds)} ms`
  return `${milliseconds.toFixed(milliseconds < 10 ? 2 : 1)} ms`
}

/** `12.3 KiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 2 : 1)} ${units[unit]}`
}

/** Formats wei as ether with all decimals: `1.5 ETH`. */
export function formatEther(wei: bigint): string {
  return `${formatUnits(wei, 18)} ETH`
}

/** Formats wei as gwei: `1.5 gwei`. */
export function formatGwei(wei: bigint): string {
  return `${formatUnits(wei, 9)} gwei`
}

/** Formats an integer with its decimal point moved left. */
function formatUnits(value: bigint, decimals: number): string {
  const sign = value < 0n ? '-' : ''
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const whole = formatNumber(BigInt(digits.slice(0, -decimals)))
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** Parses ether into wei. @throws Error unless it is a decimal number */
export function parseEther(text: string): bigint {
  const match = /^(\d+)(?:\.(\d{1,18}))?$/.exec(text.trim())
  if (match === null) throw new Error('expected an amount in ETH, such as 1.5')
  return BigInt(match[1] ?? '0') * 10n ** 18n + BigInt((match[2] ?? '').padEnd(18, '0'))
}

/** `0x1234…cdef`. */
export function shorten(text: string, head = 6, tail = 4): string {
  return text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`
}

/** Formats a storage word without leading zeros, shortened if it is as long as a hash: `0x0`, `0x1234…cdef`. */
export function shortenWord(word: string): string {
  return shorten(word.replace(/^0x0*(?=.)/, '0x'), 12, 8)
}

/** `3 blocks`, `1 block`. */
export function count(value: number, noun: string): string {
  return `${formatNumber(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** Masks a key like the journal: shows only its first and last characters. */
export function maskKey(key: string): string {
  return key.length <= 8 ? '*'.repeat(key.length) : `${key.slice(0, 4)}…${key.slice(-2)}`
}
