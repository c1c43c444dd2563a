import { type Awaitable, whenReady } from '../../encoding/timeSlice.js'
import {
  InvalidParamsError,
  NotificationsUnsupportedError,
  ServerError,
  SubscriptionKindNotFoundError,
} from '../errors.js'
import { type Call, type Method, defineMethod, required, withArguments } from '../method.js'
import { filterId, text } from '../params/bytes.js'
import type { ArgumentsOf, Parameter } from '../params/combinators.js'
import type { Feed } from '../session.js'

/** A kind of subscription. */
export interface SubscriptionKind {
  readonly name: string
  readonly parameters: readonly Parameter<unknown>[]
  /** @param params - all parameters, starting with the kind's name */
  feed(call: Call, params: readonly unknown[]): Awaitable<Feed>
}

/** Characters that a refusal shows of the name of an unknown kind. */
const MAX_NAME_LENGTH = 2048

/** Defines a kind of subscription by the parameters after its name and its feed. */
export function defineKind<const P extends readonly Parameter<unknown>[]>(
  name: string,
  parameters: P,
  createFeed: (call: Call, ...args: ArgumentsOf<P>) => Feed,
): SubscriptionKind {
  return {
    name,
    parameters,
    feed: (call, params) => withArguments(call, params, parameters, createFeed, 1),
  }
}

/** Returns the methods of a namespace that start and end its kinds of subscriptions. */
export function subscriptionMethods(
  namespace: string,
  kinds: readonly SubscriptionKind[],
): readonly [subscribe: Method, unsubscribe: Method] {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]))
  const subscribe: Method = {
    name: `${namespace}_subscribe`,
    parameters: [required('kind', text('string', 'kind of subscription'))],
    invoke(call, params) {
      const { subscriptions } = call.context
      if (subscriptions === undefined) throw new NotificationsUnsupportedError()
      if (!Array.isArray(params)) throw new InvalidParamsError('non-array args')
      const [name]: unknown[] = params
      if (typeof name !== 'string') {
        throw new InvalidParamsError('expected subscription name as first argument')
      }
      const kind = byName.get(name)
      if (kind === undefined)
        throw new SubscriptionKindNotFoundError(namespace, name.slice(0, MAX_NAME_LENGTH))
      return whenReady(kind.feed(call, params), (feed) => subscriptions.open(feed, subscribe.name))
    },
  }
  const unsubscribe = defineMethod(
    `${namespace}_unsubscribe`,
    [required('id', filterId)],
    ({ context, backend }, id) => {
      const isOpen = context.subscriptions?.close(id) ?? false
      if (isOpen || backend.settings.compatibility.nullForUnknownFilter) return isOpen
      throw new ServerError('subscription not found')
    },
  )
  return [subscribe, unsubscribe]
}

/**
 * Returns the method for a name that only ends like that of a subscription's method, undefined for other names. In geth
 * the ending decides what a request does, and what precedes the first underscore names the namespace (rpc/handler.go).
 */
export function subscriptionMethodNamed(
  name: string,
  methods: ReadonlyMap<string, Method>,
): Method | undefined {
  if (name.endsWith('_unsubscribe')) return methods.get('eth_unsubscribe')
  if (!name.endsWith('_subscribe')) return undefined
  const [namespace = ''] = name.split('_')
  return methods.get(`${namespace}_subscribe`) ?? subscriptionMethods(namespace, [])[0]
}
