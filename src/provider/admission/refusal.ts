/** An answer that refuses a whole request. */
export interface Refusal {
  /** HTTP status. */
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}

const plainText = { 'content-type': 'text/plain; charset=utf-8' }

/** A refusal in plain text; the newline at the end is part of `body` where there is one. */
export function refuse(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Refusal {
  return { status, headers: { ...plainText, ...headers }, body }
}

/** There is no key in the path, or something behind it. */
export const keyRequired = refuse(401, 'project id required in the url')

/** The key is not known. */
export const keyUnknown = refuse(401, 'invalid project id\n', {
  'www-authenticate': 'Basic realm="Auth failure, invalid project id"',
  vary: 'Origin',
  'x-content-type-options': 'nosniff',
})

/** The secret is wrong. The newline is a choice of ours. */
export const secretWrong = refuse(401, 'invalid project id or project secret\n')

/** A token is required and missing, or the one given is not valid. The newline is a choice of ours. */
export const tokenInvalid = refuse(401, 'invalid JWT\n')

/** The account behind the key is disabled. */
export const accountDisabled = refuse(401, 'account disabled\n')

/** An allowlist of the key refuses, or the key requires its secret and none came. */
export const settingsRefuse = refuse(403, settingsBody('rejected due to project ID settings'))

/** The key does not open the network. The status is a choice of ours. */
export function networkRefused(network: string): Refusal {
  return refuse(403, settingsBody(`project ID does not have access to ${network}`))
}

/** The text of a refusal by settings; there is no id, whatever the request had. */
function settingsBody(message: string): string {
  return `${JSON.stringify({ jsonrpc: '2.0', error: { code: -32002, message } })}\n`
}

/** The file network wants credentials. */
export const filesCredentialsRequired = refuse(401, 'project id required\n')

/** The file network's credentials are wrong. */
export const filesCredentialsWrong = refuse(401, 'basic auth failure: invalid project id or project secret\n')

/** The hosted file network does not have the operation (strict mode). */
export const filesOperationRefused = refuse(403, 'ipfs method not allowed\n')

/** The page's origin may not use the file network with this key. */
export const filesOriginRefused = refuse(403, 'not allowed - invalid origin\n')

/** The account has no billing card (strict mode). Status and text are a choice of ours. */
export const billingCardRequired = refuse(403, 'billing card required\n')

/** One request of the file network carries too much. */
export const uploadTooLarge = refuse(400, 'payload too large\n')

/** Kubo's answer to a web page it does not know (kubo: core/corehttp, go-ipfs-cmds http/handler.go). */
export const kuboForbidden = refuse(403, '403 - Forbidden\n', {
  'x-content-type-options': 'nosniff',
  vary: 'Origin',
})
