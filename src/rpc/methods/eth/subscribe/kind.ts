import { withArguments, type Call } from '../../../method.js'
import type { ArgumentsOf, Parameter } from '../../../params/combinators.js'
import type { Feed } from '../../../subscriptions/sessionSubscriptions.js'

/** A kind of subscription. */
export interface SubscriptionKind {
  readonly name: string
  readonly parameters: readonly Parameter<unknown>[]
  /** @param params - all of them, the name of the kind first */
  feed(call: Call, params: readonly unknown[]): Feed | Promise<Feed>
}

/** Makes a kind of subscription from the parameters behind its name and what feeds it. */
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
