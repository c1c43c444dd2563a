import { afterAll, beforeAll, expect, it } from 'vitest'
import answers from './kuboAnswers.json' with { type: 'json' }
import listed from './kuboCommands.json' with { type: 'json' }
import { commands } from '../../src/ipfs/commands/registry.js'
import { refusedOperations } from '../../src/ipfs/commands/offline.js'
import { type TestNetwork, form, startNetwork } from './support.js'

let node: TestNetwork
beforeAll(async () => {
  node = await startNetwork()
})
afterAll(() => node.stop())

interface ListedCommand {
  Name: string
  Subcommands: ListedCommand[]
  Options: { Names: string[] }[]
}

/** The names of options, sorted, by operation. */
function flatten({ Subcommands }: ListedCommand, above = ''): [string, string[][]][] {
  return Subcommands.flatMap((command) => {
    const path = `${above}${command.Name}`
    const options = command.Options.map(({ Names }) => Names.filter((name) => name !== '').sort())
    return [[path, options.sort()], ...flatten(command, `${path}/`)] satisfies [string, string[][]][]
  })
}

it('lists the operations and options that Kubo 0.42.0 lists, and no others', async () => {
  const response = await node.post('commands?flags=true')
  const own = Object.fromEntries(flatten((await response.json()) as ListedCommand))
  const kubo = Object.entries(listed).map(([path, options]) => [
    path,
    options.map((names) => names.filter((name) => name !== '')).sort(),
  ])
  expect(own).toEqual(Object.fromEntries(kubo))
})

// Target, content of the uploaded file, status and body of `ipfs daemon --offline`, in the order in which they were asked for.
it('answers what needs peers or an experiment as Kubo 0.42.0 does', async () => {
  for (const [target, content, status, body] of answers as [string, string | null, number, string][]) {
    const upload = content === null ? undefined : form([{ content }])
    const response = await node.post(target, upload?.body, upload?.headers)
    expect([target, response.status, await response.text()]).toEqual([target, status, body])
  }
})

it.each(refusedOperations.map(([path]) => path))('%s was asked of Kubo', (path) => {
  expect(commands.has(path)).toBe(true)
  expect((answers as [string][]).some(([target]) => target.replace(/\?.*/, '') === path)).toBe(true)
})

// What `ipfs daemon --offline` of 0.42.0 answered.
it.each([
  ['repo/stat?size-only=true', '"StorageMax":10000000000,'],
  ['config?arg=Datastore.StorageMax&arg=5GiB', '"Value":"5GiB"'],
  ['repo/stat?size-only=true', '"StorageMax":5368709120,'],
  ['config?arg=Datastore.StorageMax&arg=1.5', '"Value":"1.5"'],
  ['repo/stat', '"StorageMax":1,'],
  ['config?arg=Datastore.StorageMax&arg=GB', '"Value":"GB"'],
  ['stats/repo', '{"Message":"strconv.ParseFloat: parsing \\"\\": invalid syntax","Code":0,"Type":"error"}'],
  ['config?arg=Datastore.StorageMax&arg=10GB', '"Value":"10GB"'],
  ['files/flush?arg=//d//x', '{"Message":"file does not exist","Code":0,"Type":"error"}'],
  [
    'bootstrap/add?arg=/ipfs/QmdcXtqWX6GuRKJbhYsPz5yCdd7wY6bXfnU4ZKDGSjpt9U/',
    'bootstrap address without a transport: /ipfs/QmdcXtqWX6GuRKJbhYsPz5yCdd7wY6bXfnU4ZKDGSjpt9U/"',
  ],
])('%s has %s', async (target, part) => {
  expect(await (await node.post(target)).text()).toContain(part)
})

// The same, with an upload.
it.each([
  ['dag/import', 'L', undefined, ''],
  ['block/put?mhlen=33', 'aa', undefined, 'invalid cid: requested length was too large for digest'],
  ['block/put?mhlen=33', undefined, undefined, ''],
  ['add?hash=blake2s-160', '../b', 'application/symlink', '"unknown multihash code 45652 (0xb254): '],
  [
    'block/put?cid-codec=dag-pb',
    '\f\f',
    undefined,
    'bafybeidqmbmeypsz6czpclzuvifub6vn6svfpefaiwptggmffpgwgjrmxm',
  ],
])('%s of %j has its answer', async (target, content, type, part) => {
  const files = content === undefined ? [] : [{ content, ...(type !== undefined && { type }) }]
  const { body, headers } = form(files)
  const answer = await (await node.post(target, body as Uint8Array<ArrayBuffer>, headers)).text()
  if (part === '') expect(answer).toBe('')
  else expect(answer).toContain(part)
})

it('publishes a path with the slash at its end, and none that leads to what cannot be read', async () => {
  const publish = 'name/publish?allow-offline=true&arg='
  const added = form([{ content: 'hi\n' }])
  await node.post('add', added.body as Uint8Array<ArrayBuffer>, added.headers)
  const file = 'QmZLRFWaz9Kypt2ACNMDzA5uzACDRiCqwdkNSP1UZsu56D'
  expect(await (await node.post(`${publish}${file}/`)).json()).toMatchObject({ Value: `/ipfs/${file}/` })
  expect(await (await node.post('name/resolve')).json()).toEqual({ Path: `/ipfs/${file}/` })
  const broken = 'bafybeidqmbmeypsz6czpclzuvifub6vn6svfpefaiwptggmffpgwgjrmxm'
  expect(await (await node.post(`${publish}${broken}`)).json()).toMatchObject({
    Message: 'protobuf: (PBNode) invalid wireType, expected 2, got 4',
  })
  expect(await (await node.post(`${publish}${broken}&resolve=false`)).json()).toMatchObject({
    Value: `/ipfs/${broken}`,
  })
})
