import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { compileFixtures } from '../../scripts/compile-fixtures.mjs'

const directory = 'fixtures/contracts/artifacts'

it('compiles every contract to the committed artifact', async () => {
  const compiled = await compileFixtures()
  expect((await readdir(directory)).sort()).toEqual([...compiled.keys()].sort())
  for (const [name, text] of compiled) {
    expect(await readFile(join(directory, name), 'utf8'), `${name}: run npm run fixtures`).toBe(text)
    expect(JSON.parse(text).deployedBytecode).toMatch(/^0x[0-9a-f]{40,}$/)
  }
})
