/** How much of a text is JSON: all of it, a valid beginning, or neither. */
export type JsonExtent = 'whole' | 'cut' | 'broken'

const token =
  /\s*(?:([[\]{}:,])|("(?:[^"\\]|\\.)*")|(-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|true|false|null))/gisy
/** A partial token at the end of a text. */
const partialToken = /^\s*("(?:[^"\\]|\\.)*\\?|-?\d*\.?|-?\d+(\.\d+)?e[+-]?|t(ru?)?|f(a(ls?)?)?|n(ul?)?)?$/is

/** Tells how much of a text is JSON. Allows a trailing comma in lists and objects, and a lone bracket. */
export function extentOfJson(text: string): JsonExtent {
  if (/^\s*[[{]$/.test(text)) return 'whole'
  const open: string[] = []
  let needs: 'value' | 'key' | 'colon' | 'next' = 'value'
  token.lastIndex = 0
  for (let position = 0; ; position = token.lastIndex) {
    const [, mark, quoted, literal] = token.exec(text) ?? []
    if (mark === undefined && quoted === undefined && literal === undefined) {
      const rest = text.slice(position)
      if (rest.trim() === '' && open.length === 0 && needs === 'next') return 'whole'
      return partialToken.test(rest) ? 'cut' : 'broken'
    }
    const container = open.at(-1)
    if (needs === 'next' && container === undefined) return 'broken'
    if (mark === '[' || mark === '{') {
      if (needs !== 'value') return 'broken'
      open.push(mark)
      needs = mark === '[' ? 'value' : 'key'
    } else if (mark === ']' || mark === '}') {
      const isOpen = container === (mark === ']' ? '[' : '{')
      if (!isOpen || needs === 'colon' || (mark === '}' && needs === 'value')) return 'broken'
      open.pop()
      needs = 'next'
    } else if (mark === ':') {
      if (needs !== 'colon') return 'broken'
      needs = 'value'
    } else if (mark === ',') {
      if (needs !== 'next') return 'broken'
      needs = container === '[' ? 'value' : 'key'
    } else if (needs === 'key') {
      if (quoted === undefined) return 'broken'
      needs = 'colon'
    } else if (needs === 'value') needs = 'next'
    else return 'broken'
  }
}
