import { countFields } from './separatedValues.js'
import { type MemberQuery, scanJson } from './scanJson.js'

/** The beginning of a text file. */
export interface TextStart {
  text: string
  /** Whether the file may continue after it. */
  isCut: boolean
}

/** Interpreters in a script's first line, by type; some patterns require the name to end there. */
const interpreters: readonly { type: string; pattern: RegExp }[] = [
  { type: 'text/x-php', pattern: /^(\/usr\/local\/bin\/php|\/usr\/bin\/(env (-S )?)?php)/ },
  { type: 'text/javascript', pattern: /^(\/bin\/node|\/usr\/bin\/(env (-S )?)?node)/ },
  { type: 'text/x-lua', pattern: /^(\/usr\/local\/bin\/lua|\/usr\/bin\/(env (-S )?)?lua)(?=\s|$)/ },
  { type: 'text/x-perl', pattern: /^\/usr\/bin\/(env (-S )?)?perl(?=\s|$)/ },
  { type: 'text/x-python', pattern: /^(\/usr\/local\/bin\/python|\/usr\/bin\/(env (-S )?)?python)/ },
  { type: 'text/x-ruby', pattern: /^(\/usr\/local\/bin\/ruby|\/usr\/bin\/(env (-S )?)?ruby)/ },
]
const laterInterpreters: readonly { type: string; pattern: RegExp }[] = [
  { type: 'text/x-tcl', pattern: /^(\/usr\/local\/bin\/(tcl|wish)|\/usr\/bin\/(env (-S )?)?(tcl|wish))/ },
]
const shells: readonly { type: string; pattern: RegExp }[] = [
  {
    type: 'text/x-shellscript',
    pattern:
      /^(\/bin\/(sh|bash|csh|dash|ksh|tcsh|zsh)|(\/usr\/local\/bin\/|\/usr\/bin\/env (-S )?)(bash|csh|dash|ksh|tcsh|zsh))(?=\s|$)/,
  },
]

/**
 * Returns the type of text without markup, by its beginning; undefined for plain text (Go, `mimetype`, in the order of
 * its tree).
 */
export function typeOfText(start: TextStart): string | undefined {
  const { text } = start
  if (/^<\?(?:php|\n|\r| )./is.test(text)) return 'text/x-php'
  const script = typeOfScript(text, interpreters)
  if (script !== undefined) return script
  const json = typeOfJson(start)
  if (json !== undefined) return json
  if (isJsonLines(text)) return 'application/x-ndjson'
  if (text.startsWith('{\\rtf')) return 'text/rtf'
  if (isSubtitles(text)) return 'application/x-subrip'
  return typeOfScript(text, laterInterpreters) ?? typeOfTable(start) ?? typeByPrefix(text)
}

function typeByPrefix(text: string): string | undefined {
  if (/^BEGIN:VCARD\r?\n/i.test(text)) return 'text/vcard'
  if (/^BEGIN:VCALENDAR\r?\n/i.test(text)) return 'text/calendar'
  if (/^WARC\/1\.[01]/.test(text)) return 'application/warc'
  if (/^(\u00ef\u00bb\u00bf)?WEBVTT([\n\r \t]|$)/.test(text)) return 'text/vtt'
  return typeOfScript(text, shells) ?? typeOfBitmap(text) ?? (isMail(text) ? 'message/rfc822' : undefined)
}

/** Types of Netpbm images by the number in their first line. */
const bitmaps = ['bitmap', 'graymap', 'pixmap']
/** The most lines of a header to read. */
const HEADER_LINES = 128

function typeOfBitmap(text: string): string | undefined {
  const lines = text.split('\n', HEADER_LINES + 1).map((line) => line.replace(/\r$/, ''))
  const [, number] = /^P([1-7])\n/.exec(text) ?? []
  if (number === undefined) return undefined
  const header = lines.slice(1)
  if (number === '7') {
    const names = header.slice(
      0,
      header.findIndex((line) => line.startsWith('ENDHDR')),
    )
    const isWhole = ['WIDTH ', 'HEIGHT ', 'DEPTH ', 'MAXVAL '].every((name) =>
      names.some((line) => line.startsWith(name)),
    )
    return isWhole && header.some((line) => line.startsWith('ENDHDR'))
      ? 'image/x-portable-arbitrarymap'
      : undefined
  }
  const size = header.find((line) => !line.startsWith('#') && line.trim() !== '')
  const isSized = /^\s*\+?0*[1-9]\d*\s+\+?0*[1-9]\d*(?:\s|$)/.test(size ?? '')
  return isSized ? `image/x-portable-${bitmaps[(Number(number) - 1) % 3]}` : undefined
}

/** Lines that occur in the headers of mail and news. */
const mailHeader =
  /^(?:From: |To: |[Cc][Cc]: |Date: |Subject: |Received: |Relay-Version: |N?#! rnews|Forward to|Pipe to|Content-Type: |Content-Transfer-Encoding: |(?:delivered-to|return-path): )/
/** Lines after the first in which to look for another. */
const MAIL_LINES = 20

function isMail(text: string): boolean {
  const [first = '', ...rest] = text.split('\n', MAIL_LINES + 1)
  const isHeader = (line: string): boolean =>
    mailHeader.test(line) || /^(?:delivered-to|return-path): /i.test(line)
  return isHeader(first) && rest.some(isHeader)
}

function typeOfScript(text: string, known: typeof interpreters): string | undefined {
  const [, line] = /^#![ \t]*([^\n]*)/.exec(text) ?? []
  const command = line?.replace(/\s+/g, ' ')
  return command === undefined ? undefined : known.find(({ pattern }) => pattern.test(command))?.type
}

/** Members that identify kinds of JSON, with their types, in the order in which they are looked for. */
const kindsOfJson: readonly { type: string; queries: readonly MemberQuery[] }[] = [
  {
    type: 'application/geo+json',
    queries: [
      {
        path: ['type'],
        values: [
          '"Feature"',
          '"FeatureCollection"',
          '"Point"',
          '"LineString"',
          '"Polygon"',
          '"MultiPoint"',
          '"MultiLineString"',
          '"MultiPolygon"',
          '"GeometryCollection"',
        ],
      },
    ],
  },
  {
    type: 'application/json',
    queries: ['version', 'creator', 'entries'].map((name) => ({ path: ['log', name] })),
  },
  { type: 'model/gltf+json', queries: [{ path: ['asset', 'version'], values: ['"1.0"', '"2.0"'] }] },
]

function typeOfJson({ text, isCut }: TextStart): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  const matches = (queries: readonly MemberQuery[]): boolean => {
    const { isWhole, isBeginning, isFound } = scanJson(text, queries)
    return isFound && (isCut ? isBeginning : isWhole)
  }
  if (!matches([])) return undefined
  const kind = /^\s*\{/.test(text) ? kindsOfJson.find(({ queries }) => matches(queries)) : undefined
  return kind?.type ?? 'application/json'
}

/** Whether every line begins as JSON and at least one as a list or an object. */
function isJsonLines(text: string): boolean {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''))
  if (lines.at(-1) === '') lines.pop()
  if (lines.length < 2 || !lines.some((line) => /^[ \t\r]*[[{]/.test(line))) return false
  return lines.every((line) => scanJson(line).isBeginning)
}

/** Whether the text begins with a numbered subtitle and its times. */
function isSubtitles(text: string): boolean {
  const time = String.raw`\d\d:[0-5]\d:[0-5]\d,\d{3}`
  return new RegExp(String.raw`^1\r?\n${time} --> ${time}\r?\n[^\r\n]`).test(text)
}

/** Lines of a table to check. */
const TABLE_LINES = 10

function typeOfTable({ text, isCut }: TextStart): string | undefined {
  const known = isCut ? text.slice(0, text.lastIndexOf('\n') + 1) : text
  if (isTable(known, ',')) return 'text/csv'
  return isTable(known, '\t') ? 'text/tab-separated-values' : undefined
}

/** Whether all lines have as many fields as the first, and at least two. */
function isTable(text: string, separator: string): boolean {
  let first: number | undefined
  let lines = 0
  for (const count of countFields(text, separator)) {
    first ??= count
    if (first < 2 || count !== first) return false
    if (++lines === TABLE_LINES) return true
  }
  return lines >= 2
}
