import { commands } from '../../../src/ipfs/commands/registry.js'

/** Parses the length at the start of a shown body. */
export function lengthOf(shown: string): number {
  return Number(/\((\d+)\)/.exec(shown)?.[1])
}

/** Whether a request's operation has a text format. */
export function hasText(request: string): boolean {
  const [, operation = ''] = /^\w+ \/api\/v0\/([^? ]*)/.exec(request) ?? []
  return commands.get(operation)?.text !== undefined
}

/** Whether a request sets an option to true, under one of its names: with a text for true in any case, or no value. */
export function isSet(request: string, ...names: string[]): boolean {
  const given = new RegExp(`[?&](?:${names.join('|')})(?:=([^& ]*))?(?=[& ])`, 'g')
  return [...request.matchAll(given)].some(([, value = '']) => /^(1|t|true)?$/i.test(value))
}

/** Returns the output of `add` without progress and without its last, truncated line. */
export function withoutProgress(shown: string): string {
  const lines = shown.replace(/^\(\d+\) /, '').split('\n')
  return lines
    .slice(0, -1)
    .filter((line) => line.includes('"Hash":'))
    .join('\n')
}

/** Removes consecutive duplicate lines, and the last, truncated one. */
export function withoutRepeats(shown: string): string {
  const lines = withoutLength(shown).split('\n').slice(0, -1)
  return lines.filter((line, index) => line !== lines[index - 1]).join('\n')
}

/** Rounds integers to what a number can hold. */
export function rounded(text: string): string {
  return text.replace(/\d{16,}/g, (digits) => String(Number(digits)))
}

/** Returns the different entries of a listing in sorted order, as text. */
export function sortedEntries(shown: string): string {
  return [...new Set(shown.match(/\{"Name":[^}]*\}/g))].sort().join()
}

/** Removes the length at the start, and reduces white space to one space. */
export function withoutColumns(shown: string): string {
  return withoutLength(shown).replace(/[ \t]+/g, ' ')
}

/** Removes the length at the start of a shown body. */
export function withoutLength(shown: string): string {
  return shown.replace(/^\(\d+\) /, '')
}

/** Whether one text begins with the other. */
export function startsAlike(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a)
}
