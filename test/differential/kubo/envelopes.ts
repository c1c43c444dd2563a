import type { PeerRequest } from './http.js'
import type { Random } from '../support/random.js'

/** Gives a request an unusual method, path, query spelling or header. */
export function withUnusualEnvelope(random: Random, plain: PeerRequest): PeerRequest {
  const { target, headers, method } = plain
  switch (random.below(9)) {
    case 0: {
      const { body: _, ...rest } = plain
      const other = random.pick(['GET', 'OPTIONS', 'PUT', 'HEAD', 'DELETE', 'PATCH'])
      return { ...rest, method: other, headers: {} }
    }
    case 1:
      return {
        ...plain,
        headers: {
          ...headers,
          ...random.pick<Record<string, string>>([
            { origin: 'http://example.com' },
            { origin: 'null' },
            { origin: '' },
            { origin: 'chrome-extension://abc' },
            { referer: 'http://example.com/x' },
            { referer: 'x' },
            { referer: '' },
            { 'user-agent': 'Mozilla/5.0 (X11)' },
            { 'user-agent': 'mozilla/5.0' },
            { 'user-agent': 'Mozilla/5.0', referer: 'http://example.com/' },
            { 'user-agent': 'curl/8' },
          ]),
        },
      }
    case 2: {
      const [path = '', query = ''] = target.split(/\?(.*)/s)
      const other = random.pick([
        `${path}/`,
        path.replace('/api/v0/', '/api/v0//'),
        path.replace('/api/v0/', '/api/v1/'),
        path.replace('/api/v0/', '/API/v0/'),
        `${path}/extra`,
        `${path}/a/b`,
        path.toUpperCase(),
        path.replace(/[a-z]$/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
        '/api/v0/',
        '/api/v0',
        '/api/v0/nope',
        '/api',
        `/${path}`,
        path.replace('/v0/', '/v0/./'),
        path.replace('/v0/', '/v0/x/../'),
      ])
      return { ...plain, target: query === '' ? other : `${other}?${query}` }
    }
    case 3:
      return {
        ...plain,
        target: target
          .replaceAll('%20', '+')
          .replace(
            '?',
            random.pick([
              '?&',
              '?&&',
              '?=&',
              '?=x&',
              '?x&',
              '?%zz=1&',
              '?a%zz&',
              '?;&',
              '?x;y=1&',
              '?arg[]=x&',
              '??',
            ]),
          ),
      }
    case 4: {
      const [path = '', query] = target.split(/\?(.*)/s)
      const [, first] = /(?:^|&)arg=([^&]*)/.exec(query ?? '') ?? []
      if (first === undefined) return plain
      const rest = (query ?? '').replace(/(^|&)arg=[^&]*/, '').replace(/^&/, '')
      return { ...plain, target: `${path}/${first}${rest === '' ? '' : `?${rest}`}` }
    }
    case 5:
      return {
        ...plain,
        headers: {
          ...headers,
          ...random.pick<Record<string, string>>([
            { accept: 'text/plain' },
            { accept: 'application/xml' },
            { 'accept-encoding': 'gzip' },
            { authorization: 'Basic eDp5' },
            { 'x-forwarded-for': '1.2.3.4' },
            { 'if-none-match': '*' },
            { range: 'bytes=0-1' },
          ]),
        },
      }
    case 7: {
      // Names of keys and settings that are not UTF-8 differ.
      if (/\/(key|pin|config)/.test(target)) return plain
      const odd = random.pick([
        '%FF',
        '%C3%28',
        '%00',
        '%7F',
        '%E2%80%A8',
        '%ED%A0%80',
        'x%FF',
        '%',
        '%zz',
        '%2',
        'a;b',
      ])
      return { ...plain, target: target.replace(/=[^&]*/, `=${odd}`) }
    }
    case 6:
      return { ...plain, target: target.replace(/=true(?=&|$)/g, random.pick(['', '=', '=1', '=T'])) }
    default:
      return method === 'POST' && plain.body === undefined
        ? {
            ...plain,
            headers: {
              'content-type': random.pick(['application/json', 'application/x-www-form-urlencoded']),
            },
            body: Buffer.from(random.pick(['{}', 'arg=x', '{"arg":"x"}', ''])),
          }
        : plain
  }
}
