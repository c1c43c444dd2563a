import type { Difference } from './compare.js'
import type { PeerAnswer, PeerRequest } from './http.js'

/** A difference that is meant. */
export interface ExpectedDifference {
  reason: string
  matches(seen: {
    request: PeerRequest
    difference: Difference
    ours: PeerAnswer
    theirs: PeerAnswer
  }): boolean
}

const operationIs =
  (pattern: RegExp) =>
  ({ request: { target } }: { request: PeerRequest }): boolean =>
    pattern.test(target.replace(/^\/api\/v0\//, '').replace(/\?.*$/s, ''))

/** Everything in which this node is not meant to answer as Kubo does. */
export const expectedDifferences: readonly ExpectedDifference[] = [
  {
    reason: 'Who the node is, and what it runs on, differs from node to node',
    matches: operationIs(/^(id|version|version\/deps|repo\/stat|stats\/repo|key\/(list|ls|gen|export))$/),
  },
]
