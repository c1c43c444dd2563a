/** A request refused by the node, with status and text. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message === '' ? `HTTP status ${status}` : message)
    this.status = status
  }
}

/** Message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Header that keeps the page's own reads out of the journal. */
export const unrecorded = { 'standin-journal': 'off' }

/** Sends a request to this node. @throws RequestError unless the status is 2xx */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  // Omitting credentials keeps the browser from prompting for them when the node refuses a key.
  const response = await fetch(path, { credentials: 'omit', ...init })
  if (!response.ok) throw new RequestError(response.status, await errorText(response))
  return response
}

async function errorText(response: Response): Promise<string> {
  const text = (await response.text()).trim()
  try {
    const body = JSON.parse(text) as { error?: unknown; Message?: unknown }
    const message = body.error ?? body.Message
    return typeof message === 'string' ? message : text
  } catch {
    return text
  }
}
