/**
 * The longest time that a timer waits, in milliseconds: Node holds it in 31 bits (setTimeout), and a longer one would be
 * over at once.
 */
export const LONGEST_WAIT = 2 ** 31 - 1
