import * as z from 'zod'
import { hexToBytes } from '../../encoding/hex.js'
import {
  type ContractLibrary,
  type ListedContract,
  readContractLibrary,
} from '../../report/contractLibrary.js'
import type { ControlSetup } from '../app.js'
import { objectPieces, sendJson } from '../jsonStream.js'
import { type ControlRoute, readBody } from '../route.js'

/** Maximum hexadecimal digits of code to identify: more than ten times what a chain may have (EIP-170). */
const MAX_CODE_LENGTH = 512 * 1024

const identifySchema = z.strictObject({
  /** Runtime code as hexadecimal with a 0x prefix. */
  code: z
    .string()
    .max(MAX_CODE_LENGTH, { abort: true })
    .regex(/^0x([0-9a-f]{2})*$/i, 'expected 0x-prefixed hexadecimal bytes'),
})

/** Routes of the compiled contracts in `--artifacts`. */
export function contractRoutes({ artifacts }: ControlSetup): ControlRoute[] {
  let library: Promise<ContractLibrary> | undefined
  const load = (): Promise<ContractLibrary> => (library ??= readContractLibrary(artifacts))
  return [
    {
      method: 'get',
      path: '/contracts',
      summary: 'List the compiled contracts of --artifacts',
      answer: 'Id, name and ABI of each, and whether its code and source are known',
      handle: async (context) => sendJson(context, listOf((await load()).list())),
    },
    {
      method: 'post',
      path: '/contracts/identify',
      summary: 'Find the compiled contract of runtime code; immutables match any value',
      body: identifySchema,
      answer: 'Its id and name, or null',
      handle: async (context) => {
        const { code } = await readBody(context, identifySchema)
        return context.json((await load()).identify(hexToBytes(code)) ?? null)
      },
    },
    {
      method: 'get',
      path: '/contracts/:id/source',
      summary: "Get the sources of a compiled contract, and its source map in solc's format",
      answer: 'Runtime code, source map, and sources by their index in the map; or 404',
      handle: async (context) => {
        const source = (await load()).source(Number(context.req.param('id')))
        return source === undefined
          ? context.json({ error: 'no source for this contract' }, 404)
          : sendJson(context, objectPieces(source))
      },
    },
  ]
}

/** Formats contracts one by one, and their ABIs entry by entry: the build of a large project has many megabytes. */
function* listOf(contracts: Iterable<ListedContract>): Generator<string> {
  let separator = '['
  for (const contract of contracts) {
    yield separator
    yield* objectPieces(contract)
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}
