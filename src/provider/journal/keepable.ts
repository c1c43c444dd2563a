/** Characters of parameters that an entry keeps. */
const maxCharacters = 16_384

/** Bytes of an answer that an entry keeps. */
export const maxAnswer = 16_384

/** Characters of a name or a message that an entry keeps; those of no method are longer. */
const maxText = 1024

/** Values inside parameters that are looked at. */
const maxValues = 256

/** The word about parameters that the journal does not keep. */
export const tooLarge = '(too large for the journal)'

/** Parameters as the journal keeps them: as they came, or a word about their size. */
export function keepableParams(params: unknown): unknown {
  return isSmall(params) ? params : tooLarge
}

/** A name or a message as the journal keeps it: what a caller made too long is cut. */
export function cutText(text: string): string {
  return text.length <= maxText ? text : `${text.slice(0, maxText)}…`
}

function isSmall(params: unknown): boolean {
  const waiting: unknown[] = [params]
  let characters = 0
  for (let values = 0; waiting.length > 0; values += 1) {
    if (values > maxValues || waiting.length > maxValues) return false
    const value = waiting.pop()
    if (typeof value === 'string') characters += value.length
    else if (typeof value === 'object' && value !== null) {
      const inner: unknown[] = Array.isArray(value) ? value : Object.values(value)
      if (!Array.isArray(value)) for (const name of Object.keys(value)) characters += name.length
      if (inner.length > maxValues) return false
      waiting.push(...inner)
    }
    if (characters > maxCharacters) return false
  }
  return true
}

/** Whether a text is short enough to be kept in the place of the parameters that are read from it. */
export function isKeepableText(text: string): boolean {
  return text.length <= maxCharacters
}
