/** Answer that refuses a whole request. */
export interface Refusal {
  /** HTTP status. */
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}

const plainText = { 'content-type': 'text/plain; charset=utf-8' }

/** Creates a plain-text refusal; `body` includes the trailing newline, if any. */
export function refuse(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Refusal {
  return { status, headers: { ...plainText, ...headers }, body }
}

/** The path has no key, or something after it. */
export const keyRequired = refuse(401, 'project id required in the url')

/** The key is unknown. */
export const keyUnknown = refuse(401, 'invalid project id\n', {
  'www-authenticate': 'Basic realm="Auth failure, invalid project id"',
  vary: 'Origin',
  'x-content-type-options': 'nosniff',
})

/** The secret is wrong. The newline is our choice. */
export const secretWrong = refuse(401, 'invalid project id or project secret\n')

/** A required token is missing, or the given one is invalid. The newline is our choice. */
export const tokenInvalid = refuse(401, 'invalid JWT\n')

/** The key's account is disabled. */
export const accountDisabled = refuse(401, 'account disabled\n')

/** An allowlist of the key refuses, or its required secret is missing. */
export const settingsRefuse = refuse(403, settingsBody('rejected due to project ID settings'))

/** The key has no access to the network. The status is our choice. */
export function networkRefused(network: string): Refusal {
  return refuse(403, settingsBody(`project ID does not have access to ${network}`))
}

/** Body of a refusal by settings, which never has an id. */
function settingsBody(message: string): string {
  return `${JSON.stringify({ jsonrpc: '2.0', error: { code: -32002, message } })}\n`
}

/** The file network requires credentials. */
export const filesCredentialsRequired = refuse(401, 'project id required\n')

/** The credentials for the file network are wrong. */
export const filesCredentialsWrong = refuse(401, 'basic auth failure: invalid project id or project secret\n')

/** The hosted file network lacks the operation (strict mode). */
export const filesOperationRefused = refuse(403, 'ipfs method not allowed\n')

/** The page's origin may not use the file network with this key. */
export const filesOriginRefused = refuse(403, 'not allowed - invalid origin\n')

/** The account has no billing card (strict mode). Status and text are our choice. */
export const billingCardRequired = refuse(403, 'billing card required\n')

/** The request is larger than the file network accepts. */
export const uploadTooLarge = refuse(400, 'payload too large\n')

/** Kubo's refusal of an unknown page (kubo: core/corehttp, go-ipfs-cmds http/handler.go). */
export const kuboForbidden = refuse(403, '403 - Forbidden\n', {
  'x-content-type-options': 'nosniff',
  vary: 'Origin',
})
