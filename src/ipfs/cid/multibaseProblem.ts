/** What is wrong with text in a base, as the decoders of Go say it; undefined when each character is of the base. */
export function multibaseProblem(baseName: string, text: string): string | undefined {
  const kind = /^base(?:16|32|36|58|64)/.exec(baseName)?.[0]
  if (kind === undefined) return undefined
  const digits = text.replace(/=+$/, '')
  const place = [...digits].findIndex((digit) => !alphabetOf(kind, baseName).test(digit))
  const wrong = [...digits][place]
  if (wrong === undefined) {
    return kind === 'base16' && text.length % 2 === 1 ? 'encoding/hex: odd length hex string' : undefined
  }
  switch (kind) {
    case 'base16':
      return `encoding/hex: invalid byte: ${codePoint(wrong)} '${wrong}'`
    case 'base36':
      return `invalid base36 character ('${wrong}')`
    case 'base58':
      return `Invalid base58 digit ('${wrong}')`
    default:
      return `illegal ${kind} data at input byte ${place}`
  }
}

function alphabetOf(kind: string, baseName: string): RegExp {
  switch (kind) {
    case 'base16':
      return /[0-9a-f]/i
    case 'base32':
      return baseName === 'base32z' ? /[ybndrfg8ejkmcpqxot1uwisza345h769]/ : extended(baseName)
    case 'base36':
      return /[0-9a-z]/i
    case 'base58':
      return /[1-9A-HJ-NP-Za-km-z]/
    default:
      return baseName.includes('url') ? /[A-Za-z0-9_-]/ : /[A-Za-z0-9+/]/
  }
}

function extended(baseName: string): RegExp {
  return baseName.includes('hex') ? /[0-9a-v]/i : /[a-z2-7]/i
}

/** A character as Go's `%U` writes it, such as `U+006F`. */
function codePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
