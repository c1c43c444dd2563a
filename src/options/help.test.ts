import { expect, test } from 'vitest'
import { optionDefinitions } from '../options.js'
import { formatHelp } from './help.js'

test('the help lists every flag with its variable', () => {
  const help = formatHelp(optionDefinitions)
  for (const { flag } of Object.values(optionDefinitions)) {
    expect(help).toContain(`--${flag}`)
    expect(help).toContain(`STANDIN_${flag.toUpperCase().replaceAll('-', '_')}`)
  }
})
