import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Context, Hono } from 'hono'

/**
 * Restricts the page to running and loading what this node serves. The gateway's sites are shown in frames of their own
 * origins. No text becomes markup or script (require-trusted-types-for).
 */
const securityHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self'",
    "connect-src 'self'",
    "frame-src 'self' http://*.localhost:* https://*.localhost:*",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

const contentTypes: Readonly<Partial<Record<string, string>>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Where the build puts the page: next to the bundles, or in dist/ when running from source. */
const directories = [new URL('./page/', import.meta.url), new URL('../../dist/page/', import.meta.url)].map(
  (url) => fileURLToPath(url),
)

const notBuilt =
  'The page is not built: run npm run build. The controls are described at /_standin/openapi.json.\n'

/**
 * Creates an app with the page's files except its document, to be mounted at `/_standin/page`. Only files that the
 * build has written are reachable. Access has already been checked.
 */
export function createPage(): Hono {
  const app = new Hono()
  app.get('/:name', (context) => serveFile(context, context.req.param('name')))
  app.get('/assets/:name', (context) => serveFile(context, `assets/${context.req.param('name')}`))
  return app
}

/** Serves the page's document. */
export async function servePage(context: Context): Promise<Response> {
  const document = await readPageFile('index.html')
  if (document === undefined) return context.text(notBuilt, 501)
  return context.body(document, 200, {
    ...securityHeaders,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
  })
}

async function serveFile(context: Context, name: string): Promise<Response> {
  const type = contentTypes[extname(name)]
  const isPlain = /^(assets\/)?[\w-]+(\.[\w-]+)*\.\w+$/.test(name)
  const content = type !== undefined && isPlain ? await readPageFile(name) : undefined
  if (type === undefined || content === undefined) return context.body(null, 404)
  return context.body(content, 200, {
    ...securityHeaders,
    'content-type': type,
    // Names of assets contain content hashes.
    'cache-control': name.startsWith('assets/') ? 'max-age=31536000, immutable' : 'no-cache',
  })
}

async function readPageFile(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  for (const directory of directories) {
    try {
      return new Uint8Array(await readFile(join(directory, name)))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return undefined
}
