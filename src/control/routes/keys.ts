import { keysOf } from '../../encoding/json.js'
import { ConfigurationError } from '../../provider/configuration.js'
import type { ApiKey } from '../../provider/keys/apiKey.js'
import { maskKey } from '../../provider/keys/keyLabels.js'
import { apiKeySchema, parseApiKey } from '../../provider/keys/keysFile.js'
import type { ControlSetup } from '../app.js'
import { type ControlRoute, readJson } from '../route.js'

/** Maximum members of a body. */
const MOST_MEMBERS = 100

/** Routes to add, change and remove keys while the node runs, and to list the plans available to them. */
export function keyRoutes({ provider }: ControlSetup): ControlRoute[] {
  const { keys, plans, quotas } = provider
  return [
    {
      method: 'get',
      path: '/keys',
      summary: 'The keys, with what they have spent; secrets are not shown',
      answer: 'A list of keys',
      handle: (context) =>
        context.json(
          keys.list().map((key) => ({
            ...withoutSecrets(key),
            spent: { creditsToday: quotas.meter(key).today, files: quotas.fileMeter(key).totals() },
          })),
        ),
    },
    {
      method: 'put',
      path: '/keys/:key',
      summary: 'Add a key, or put it in the place of the one of the same name; it keeps what it has spent',
      body: apiKeySchema.partial({ key: true }),
      answer: 'The key',
      handle: async (context) => {
        const body = await readJson(context)
        if (typeof body !== 'object' || body === null || keysOf(body).length > MOST_MEMBERS) {
          throw new ConfigurationError('the body: expected an object with the members of a key')
        }
        const key = parseApiKey({ ...body, key: context.req.param('key') }, plans, 'the body')
        keys.set(key)
        return context.json(withoutSecrets(key))
      },
    },
    {
      method: 'delete',
      path: '/keys/:key',
      summary: 'Remove a key and what it has spent; its connections end',
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
      summary: 'The plans that a key may have',
      answer: 'Quotas and rates of each by name',
      handle: (context) => context.json(plans),
    },
  ]
}

function withoutSecrets({ key, secret, ...rest }: ApiKey): Record<string, unknown> {
  return { key: maskKey(key), hasSecret: secret !== undefined, ...rest }
}
