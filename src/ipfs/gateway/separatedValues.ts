/**
 * Counts the fields of each line of separated values. Skips empty lines and those starting with `#`. A quoted field may
 * span lines, and a doubled quote stands for one.
 */
export function* countFields(text: string, separator: string): Generator<number> {
  let position = 0
  while (position < text.length) {
    const end = lineEnd(text, position)
    const line = text.slice(position, end)
    if (line === '' || line === '\r' || line.startsWith('#')) {
      position = end + 1
      continue
    }
    let fields = 1
    for (let isInField = false; position < text.length && text[position] !== '\n';) {
      if (!isInField && text[position] === '"') {
        position = afterQuotes(text, position + 1, separator)
        isInField = true
      } else if (text[position] === separator) {
        fields++
        position++
        isInField = false
      } else {
        position++
        isInField = true
      }
    }
    position++
    yield fields
  }
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

/** Returns the position after the closing quote, which is one that the end of a field follows. */
function afterQuotes(text: string, from: number, separator: string): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    const next = text[at + 1]
    if (next === '"') at++
    else if (next === undefined || next === separator || next === '\n' || next === '\r') return at + 1
  }
  return text.length
}
