import type { AbiParameter } from 'viem'

/**
 * Parses user input as a value of a Solidity type. Arrays and tuples are JSON, with large numbers as strings.
 *
 * @throws Error that describes the expected input
 */
export function parseArgument(parameter: AbiParameter, text: string): unknown {
  const { type } = parameter
  if (!type.endsWith(']') && !type.startsWith('tuple')) return parseWord(type, text.trim(), text)
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new Error(`expected JSON for ${type}, such as ["1", "2"]`)
  }
  return fromJson(parameter, json)
}

function fromJson(parameter: AbiParameter, json: unknown): unknown {
  const array = /^(.*)\[\d*\]$/.exec(parameter.type)
  if (array !== null) {
    if (!Array.isArray(json)) throw new Error(`expected an array for ${parameter.type}`)
    return json.map((item: unknown) => fromJson({ ...parameter, type: array[1] ?? '' }, item))
  }
  if (parameter.type === 'tuple' && 'components' in parameter) {
    const values = Object(json) as Record<string, unknown>
    return Object.fromEntries(
      parameter.components.map((component, place) => [
        component.name ?? String(place),
        fromJson(component, values[component.name ?? ''] ?? values[place]),
      ]),
    )
  }
  return typeof json === 'string' || typeof json === 'number'
    ? parseWord(parameter.type, String(json), String(json))
    : json
}

function parseWord(type: string, text: string, whole: string): unknown {
  if (type === 'string') return whole
  if (type === 'bool') {
    if (text !== 'true' && text !== 'false') throw new Error('expected true or false')
    return text === 'true'
  }
  if (/^u?int/.test(type)) {
    try {
      return BigInt(text)
    } catch {
      throw new Error(`expected a whole number for ${type}`)
    }
  }
  if (!/^0x[0-9a-f]*$/i.test(text)) throw new Error(`expected 0x-prefixed hexadecimal for ${type}`)
  return text
}
