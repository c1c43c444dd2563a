import * as z from 'zod'
import { canonicalJson, CASSETTE_VERSION } from './entry.js'
import { CassetteError } from './lines.js'
import { readRules, type CassetteRules } from './rules.js'

/** The first line of a cassette. */
export interface CassetteHeader {
  rules: CassetteRules
  /** Block tags and the numbers that they stand for, by network. */
  tags: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Of a closed cassette: what its lines come to. Absent while it is recorded. */
  closed?: { entries: number; bytes: number; crc32: number }
}

/** The line of a header, without its end. */
export function formatHeader({ rules, tags, closed }: CassetteHeader): string {
  return canonicalJson({ cassette: CASSETTE_VERSION, rules, tags, closed })
}

/**
 * Reads the first line of a file.
 *
 * @throws CassetteError if it is no cassette of this version
 */
export function parseHeader(text: string, path: string): CassetteHeader {
  let value: unknown
  try {
    // Editors on Windows begin a file with a byte order mark.
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    value = undefined
  }
  const { cassette, rules = {}, tags = {}, closed } = (value ?? {}) as Record<string, unknown>
  if (cassette === undefined) throw new CassetteError(path, 'is not a cassette of Standin', 1)
  if (cassette !== CASSETTE_VERSION) {
    throw new CassetteError(
      path,
      `is a cassette of version ${String(cassette)}; this Standin reads version ${CASSETTE_VERSION}`,
      1,
    )
  }
  const read = readRules(rules)
  if (typeof read === 'string') throw new CassetteError(path, `rules: ${read}`, 1)
  const parts = partsSchema.safeParse({ tags, closed })
  if (!parts.success) {
    const { path: place, message } = parts.error.issues[0]!
    throw new CassetteError(path, `${place.join('.')}: ${message}`, 1)
  }
  return { rules: read, tags: parts.data.tags, ...(parts.data.closed && { closed: parts.data.closed }) }
}

const count = z.int().min(0)
const partsSchema = z.object({
  tags: z.record(z.string(), z.record(z.string(), z.string())),
  closed: z.object({ entries: count, bytes: count, crc32: count }).optional(),
})

/** The number that a block tag of a network stands for, met while recording. */
export interface TagPin {
  network: string
  tag: string
  number: string
}

const PIN_START = '{"pin":'

/** The line that keeps a pin until the cassette is closed, without its end. */
export function formatPin({ network, tag, number }: TagPin): string {
  return `${PIN_START}${JSON.stringify([network, tag, number])}}`
}

/** Reads the line of a pin; undefined if it is another line. */
export function parsePin(text: string): TagPin | undefined {
  if (!text.startsWith(PIN_START)) return undefined
  try {
    const { pin } = JSON.parse(text) as { pin: unknown }
    if (!Array.isArray(pin) || pin.length !== 3 || !pin.every((part) => typeof part === 'string'))
      return undefined
    const [network, tag, number] = pin as [string, string, string]
    return { network, tag, number }
  } catch {
    return undefined
  }
}

/** A header with one more pin. */
export function withPin(header: CassetteHeader, { network, tag, number }: TagPin): CassetteHeader {
  return { ...header, tags: { ...header.tags, [network]: { ...header.tags[network], [tag]: number } } }
}
