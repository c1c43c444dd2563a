import { flagToVariable, optionGroups } from './kinds.js'
import type { AnyOption } from './read.js'

const WIDTH = 100
const INDENT = 6

/** Formats the help: every option, under the headings of their groups. */
export function formatHelp(definitions: Readonly<Record<string, AnyOption>>): string {
  const all = Object.values(definitions)
  const groups = optionGroups.map((group) => {
    const lines = all.filter((definition) => definition.group === group).flatMap(formatOption)
    return lines.length === 0 ? [] : [`${group}:`, ...lines, '']
  })
  return groups.flat().join('\n')
}

function formatOption(definition: AnyOption): string[] {
  const { flag, aliases = [], kind } = definition
  const short = aliases.filter((alias) => alias.length === 1).map((alias) => `-${alias}, `)
  const long = aliases.filter((alias) => alias.length > 1).map((alias) => ` [--${alias}]`)
  const name = kind.bare === undefined ? kind.valueName : `[${kind.valueName}]`
  const value = name === undefined ? '' : ` ${name}`
  const head = `  ${short.join('')}--${flag}${value}${long.join('')}`
  const note = [formatDefault(definition.default), `env ${flagToVariable(flag)}`].filter(Boolean).join(', ')
  return [head, ...wrap(`${definition.description} (${note})`)]
}

function formatDefault(value: unknown): string {
  if (value === undefined || value === false) return ''
  if (Array.isArray(value)) return value.length === 0 ? '' : `default ${value.join(',')}`
  return `default ${String(value)}`
}

function wrap(text: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && INDENT + line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line].map((content) => ' '.repeat(INDENT) + content)
}
