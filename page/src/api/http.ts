/** A request that the node refused, with its status and text. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message === '' ? `HTTP status ${status}` : message)
    this.status = status
  }
}

/** What an error says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Tells the node to leave a request of the page out of its journal: reading is not what a developer looks for. */
export const unrecorded = { 'standin-journal': 'off' }

/** Sends a request to this node. @throws RequestError unless the status is a successful one */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  // Without credentials of its own a browser asks for none where the node refuses a key.
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
