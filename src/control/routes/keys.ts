import { keysOf } from '../../encoding/jsonKeys.js'
import { ConfigurationError } from '../../provider/configuration.js'
import type { ApiKey } from '../../provider/keys/apiKey.js'
import { maskKey } from '../../provider/journal/journal.js'
import { apiKeySchema, parseApiKey } from '../../provider/keys/keysFile.js'
import type { ControlSetup } from '../app.js'
import { listPieces, sendJson } from '../jsonStream.js'
import { type ControlRoute, readJson } from '../route.js'

/** Maximum members of a body. */
const MAX_MEMBERS = 100

/** Routes to add, change and remove keys while the node runs, and to list the plans available to them. */
export function keyRoutes({ provider }: ControlSetup): ControlRoute[] {
  const { keys, plans, quotas } = provider
  return [
    {
      method: 'get',
      path: '/keys',
      summary: 'List the keys and their usage, without secrets',
      answer: 'A list of keys',
      handle(context) {
        function* listed(): Generator<object> {
          for (const key of keys.list()) {
            const spent = { creditsToday: quotas.meter(key).today, files: quotas.fileMeter(key).totals() }
            yield { ...withoutSecrets(key), spent }
          }
        }
        return sendJson(context, listPieces(listed()))
      },
    },
    {
      method: 'put',
      path: '/keys/:key',
      summary: 'Add a key, or replace the key of the same name and keep its usage',
      body: apiKeySchema.partial({ key: true }),
      answer: 'The key',
      handle: async (context) => {
        const body = await readJson(context)
        if (typeof body !== 'object' || body === null || keysOf(body).length > MAX_MEMBERS) {
          throw new ConfigurationError('the body: expected a key object')
        }
        const key = parseApiKey({ ...body, key: context.req.param('key') }, plans, 'the body')
        keys.set(key)
        return context.json(withoutSecrets(key))
      },
    },
    {
      method: 'delete',
      path: '/keys/:key',
      summary: 'Remove a key and its usage, and close its connections',
      answer: 'Nothing, or 404',
      handle: (context) => {
        const name = context.req.param('key') ?? ''
        if (!provider.removeKey(name)) return context.json({ error: `there is no key ${maskKey(name)}` }, 404)
        return context.body(null, 204)
      },
    },
    {
      method: 'get',
      path: '/plans',
      summary: 'List the plans that a key can have',
      answer: 'Quotas and rates of each, by name',
      handle: (context) => context.json(plans),
    },
  ]
}

function withoutSecrets({ key, secret, ...rest }: ApiKey): Record<string, unknown> {
  return { key: maskKey(key), hasSecret: secret !== undefined, ...rest }
}
