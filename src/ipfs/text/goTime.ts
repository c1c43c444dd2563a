import { FileNetworkError } from '../errors.js'

/** Seconds of the 400 years after which the calendar repeats, with its days of the week. */
const CYCLE = 12_622_780_800n
/** The start of year 0, in Unix seconds. */
const YEAR_ZERO = -62_167_219_200n

/** A time in UTC by the calendar, as in `Mon, 02 Jan 2006 15:04:05 GMT`. */
interface CalendarTime {
  weekday: string
  day: string
  month: string
  /** With at least 4 digits. */
  year: string
  clock: string
}

/** Converts Unix seconds. Other than `Date`, has no limits. */
function calendarTime(seconds: bigint): CalendarTime {
  const years = Math.floor(Number(seconds - YEAR_ZERO) / Number(CYCLE)) * 400
  const inCycle = (((seconds - YEAR_ZERO) % CYCLE) + CYCLE) % CYCLE
  const date = new Date(Number(inCycle + YEAR_ZERO) * 1000)
  const [weekday = '', day = '', month = '', , clock = ''] = date.toUTCString().split(' ')
  const year = date.getUTCFullYear() + years
  const digits = String(Math.abs(year)).padStart(4, '0')
  return { weekday, day, month, year: year < 0 ? `-${digits}` : digits, clock }
}

/** Formats a time like HTTP does: `Mon, 02 Jan 2006 15:04:05 GMT`. */
export function httpTime(seconds: bigint): string {
  const { weekday, day, month, year, clock } = calendarTime(seconds)
  return `${weekday} ${day} ${month} ${year} ${clock} GMT`
}

/** Formats a time like `2 Jan 2006, 15:04:05 UTC`. */
export function longTime(seconds: bigint): string {
  const { day, month, year, clock } = calendarTime(seconds)
  return `${Number(day)} ${month} ${year}, ${clock} UTC`
}

/** Half a year (about) and a day, in seconds. */
const HALF_YEAR = 15_768_000n
const ONE_DAY = 86_400n

/** Formats a time with the clock if recent, else with the year (Kubo, `formatModTime`). */
export function shortTime(seconds: bigint): string {
  const { day, month, year, clock } = calendarTime(seconds)
  const age = BigInt(Math.floor(Date.now() / 1000)) - seconds
  return `${month} ${day} ${age < HALF_YEAR && age > -ONE_DAY ? clock.slice(0, 5) : ` ${year}`}`
}

/** A time that JSON cannot express, because its year has not four digits. */
export class DistantTime {
  readonly seconds: bigint

  constructor(seconds: bigint) {
    this.seconds = seconds
  }

  /** @throws {@link FileNetworkError} with the message of Go */
  toJSON(): never {
    throw new FileNetworkError(
      'json: error calling MarshalJSON for type time.Time: Time.MarshalJSON: year outside of range [0,9999]',
    )
  }
}

/** The end of year 9999, in Unix seconds. */
const YEARS_END = 253_402_300_800n

/** Formats a time like Go's JSON: RFC 3339 in UTC, with the digits of the second that are needed. */
export function jsonTime({
  seconds,
  nanoseconds,
}: {
  seconds: bigint
  nanoseconds: number
}): string | DistantTime {
  if (seconds < YEAR_ZERO || seconds >= YEARS_END) return new DistantTime(seconds)
  const date = new Date(Number(seconds) * 1000).toISOString().slice(0, 19)
  const fraction = String(nanoseconds).padStart(9, '0').replace(/0+$/, '')
  return fraction === '' ? `${date}Z` : `${date}.${fraction}Z`
}
