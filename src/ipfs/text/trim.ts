/*
 * A regular expression for a run at the end of a text takes quadratic time: it begins anew at each character of every
 * other run.
 */

/** Removes all occurrences of a character from the end of a text. */
export function trimEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

/** Removes all occurrences of a character from both ends of a text. */
export function trimBoth(text: string, character: string): string {
  let start = 0
  while (start < text.length && text[start] === character) start++
  return trimEnd(text.slice(start), character)
}
