/** What a walk has come to, so that it goes nowhere twice: the CIDs as keys ({@link cidKey}), or what else tells places apart. */
export type VisitedSet = Pick<Set<string>, 'has' | 'add'>

/** Remembers nothing: a walk with it comes to a place as often as the place is linked. */
export const forgetful: VisitedSet = {
  has: () => false,
  add() {
    return new Set()
  },
}
