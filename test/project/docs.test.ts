import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { declareNodeOptions, generatePages, generateTypesOfClients } from '../../scripts/docs.mjs'
import { nodeOptionDefinitions } from '../../src/options/read.js'

/** Returns the paths of all documents for readers. */
async function documents(): Promise<string[]> {
  const pages = (await readdir('docs', { recursive: true })).filter((name) => name.endsWith('.md'))
  return [...pages.map((name) => join('docs', name)), 'README.md', 'CONTRIBUTING.md']
}

it('has generated pages that match the sources', async () => {
  for (const [name, text] of await generatePages()) {
    expect(await readFile(join('docs/reference', name), 'utf8'), `${name}: run npm run docs`).toBe(text)
  }
})

it('declares every option of a node with its description', async () => {
  const declaration = await declareNodeOptions()
  for (const [name, { description }] of Object.entries(nodeOptionDefinitions)) {
    expect(declaration).toContain(`  ${name}?: Given<'${name}'> | undefined`)
    expect(declaration).toContain(description)
  }
})

it("has clients' types that match the control API", async () => {
  const files = await generateTypesOfClients()
  expect(files.size).toBeGreaterThan(4)
  for (const [path, text] of files)
    expect(await readFile(path, 'utf8'), `${path}: run npm run docs`).toBe(text)
})

it('links to existing files', async () => {
  for (const page of await documents()) {
    const text = await readFile(page, 'utf8')
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) => target)
    for (const target of targets)
      expect(existsSync(join(dirname(page), target)), `${page}: ${target}`).toBe(true)
  }
})

it('names existing files, and tests by their titles', async () => {
  let titles = 0
  for (const page of await documents()) {
    const text = await readFile(page, 'utf8')
    const references = text.matchAll(
      /`((?:src|test|bench|scripts|bin|page|clients|examples)\/[\w./-]+)`(?:, "([^"]+)")?/g,
    )
    for (const [, path = '', title] of references) {
      if (path.startsWith('bench/dist/')) continue
      expect(existsSync(path), `${page}: ${path}`).toBe(true)
      if (title === undefined) continue
      expect(await readFile(path, 'utf8'), page).toContain(title)
      titles++
    }
  }
  expect(titles).toBeGreaterThan(5)
})

it('lists every page in its index', async () => {
  const index = await readFile('docs/README.md', 'utf8')
  const pages = (await readdir('docs', { recursive: true })).filter((name) => name.endsWith('.md'))
  for (const page of pages) if (page !== 'README.md') expect(index).toContain(`](${page})`)
})
