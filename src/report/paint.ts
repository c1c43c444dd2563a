/** Colours of the parts of a report. */
export interface Paint {
  name(text: string): string
  event(text: string): string
  success(text: string): string
  failure(text: string): string
  warning(text: string): string
  faint(text: string): string
}

/** Everything as it is: for files and pipes. */
const plain: Paint = {
  name: (text) => text,
  event: (text) => text,
  success: (text) => text,
  failure: (text) => text,
  warning: (text) => text,
  faint: (text) => text,
}

/** A colour of ECMA-48 (SGR), and back to the one before. */
function inColour(code: number, end = 39): (text: string) => string {
  return (text) => `\u001b[${code}m${text}\u001b[${end}m`
}

const coloured: Paint = {
  name: inColour(36),
  event: inColour(35),
  success: inColour(32),
  failure: inColour(31),
  warning: inColour(33),
  faint: inColour(2, 22),
}

/** Colours for a terminal, none for anything else. */
export function createPaint({ colours }: { colours: boolean }): Paint {
  return colours ? coloured : plain
}
