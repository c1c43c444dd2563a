/** The index of the first character at or after `index` that is no JSON whitespace. */
export function skipWhitespace(text: string, index: number): number {
  let end = index
  for (let code = text.charCodeAt(end); code <= 0x20; code = text.charCodeAt(++end)) {
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break
  }
  return end
}

/** The index behind the string whose quotation mark is at `start`; the end of the text if nothing ends it. */
export function endOfString(text: string, start: number): number {
  let index = start + 1
  for (;;) {
    const quote = text.indexOf('"', index)
    if (quote === -1) return text.length
    let backslashes = 0
    while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes += 1
    index = quote + 1
    if (backslashes % 2 === 0) return index
  }
}
