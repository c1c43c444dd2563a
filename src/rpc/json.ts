/** What JSON can hold. */
export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue | undefined }

/** A JSON Schema (2020-12) as an OpenRPC document embeds it. */
export type JsonSchema = { readonly [keyword: string]: JsonValue }

/** Texts of ASCII that JSON, and {@link printJson}, write as they are. */
const plainText = /^[ !#-%'-;=?-[\]-~]*$/
const unsafeInHtml = /[<>&\u2028\u2029]/
const everyUnsafeInHtml = /[<>&\u2028\u2029]/g

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/**
 * The JSON text of a value, with `<`, `>`, `&` and the two line separators of Unicode escaped.
 *
 * Go's encoder escapes them by default, and so geth's answers carry them that way (encoding/json, HTMLEscape).
 */
export function printJson(value: JsonValue): string {
  if (typeof value === 'string' && plainText.test(value)) return `"${value}"`
  const text = JSON.stringify(value)
  return unsafeInHtml.test(text) ? text.replace(everyUnsafeInHtml, escapeUnit) : text
}
