import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'

/** A JSON-RPC answer: a result or an error. */
export interface Answer {
  result?: unknown
  error?: unknown
}

interface Message extends Answer {
  id?: number
  params?: { subscription: string; result: unknown }
}

/** A WebSocket connection that collects notifications by subscription and polls filters. */
export class Subscriber {
  readonly #socket: WebSocket
  readonly #answers = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>()
  readonly #names = new Map<string, string>()
  readonly #filters = new Map<string, unknown>()
  readonly #pushed = new Map<string, unknown[]>()
  readonly #early: { subscription: string; result: unknown }[] = []
  #lastId = 0
  #lastPush = Date.now()

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data: Buffer) => this.#receive(JSON.parse(data.toString()) as Message))
    socket.on('close', () => {
      for (const { reject } of this.#answers.values())
        reject(new Error(`${socket.url} closed the connection`))
    })
  }

  static async connect(url: string): Promise<Subscriber> {
    const socket = new WebSocket(url)
    await once(socket, 'open')
    return new Subscriber(socket)
  }

  async call(method: string, params: readonly unknown[]): Promise<Answer> {
    if (this.#socket.readyState !== WebSocket.OPEN) throw new Error(`${this.#socket.url} is closed`)
    const id = ++this.#lastId
    const answered = new Promise<Answer>((resolve, reject) => this.#answers.set(id, { resolve, reject }))
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return answered
  }

  /** Opens a subscription, whose notifications are collected under a name. */
  async subscribe(name: string, params: readonly unknown[]): Promise<void> {
    const error = await this.open(name, 'eth_subscribe', params)
    if (error !== undefined) throw new Error(`eth_subscribe ${name}: ${JSON.stringify(error)}`)
  }

  /** Like {@link subscribe}, with any method. @returns the error if it is refused */
  async open(name: string, method: string, params: readonly unknown[]): Promise<unknown> {
    const { result, error } = await this.call(method, params)
    if (typeof result !== 'string') return error
    this.#names.set(result, name)
    this.#pushed.set(name, [])
    for (const { subscription, result: pushed } of this.#early.splice(0)) this.#keep(subscription, pushed)
    return undefined
  }

  /** Installs a filter, whose changes are collected under a name. */
  async filter(name: string, method: string, params: readonly unknown[]): Promise<void> {
    const { result, error } = await this.call(method, params)
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    this.#filters.set(name, result)
  }

  /**
   * Waits until nothing has been pushed for a while.
   *
   * @returns notifications and filter changes since the last call, by name
   */
  async settled(quietMilliseconds: number): Promise<Map<string, unknown>> {
    while (Date.now() - this.#lastPush < quietMilliseconds) await sleep(10)
    const seen = new Map<string, unknown>()
    for (const [name, pushed] of this.#pushed) seen.set(name, pushed.splice(0))
    for (const [name, id] of this.#filters) {
      const { result, error } = await this.call('eth_getFilterChanges', [id])
      seen.set(name, result ?? error)
    }
    return seen
  }

  /** Restarts the wait for quiet. */
  touch(): void {
    this.#lastPush = Date.now()
  }

  close(): void {
    this.#socket.terminate()
  }

  #receive({ id, params, ...answer }: Message): void {
    if (params !== undefined) {
      this.#keep(params.subscription, params.result)
      return
    }
    if (id === undefined) return
    this.#answers.get(id)?.resolve(answer)
    this.#answers.delete(id)
  }

  #keep(subscription: string, result: unknown): void {
    this.touch()
    const name = this.#names.get(subscription)
    // A notification may arrive before the answer that names its subscription.
    if (name === undefined) this.#early.push({ subscription, result })
    else this.#pushed.get(name)?.push(result)
  }
}
