import './sourceLines.css'

/** Source lines with line numbers. */
export function SourceLines(props: {
  label: string
  /** The number of the first line. */
  first: number
  lines: readonly string[]
  /** Highlight of a line, if any. */
  mark?: (number: number) => 'reached' | 'failed' | undefined
}) {
  const { label, first, lines, mark } = props
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-label={label}>
      <ol start={first}>
        {lines.map((line, place) => {
          const number = first + place
          return (
            <li key={number} class={markClass[mark?.(number) ?? 'none']}>
              <span class="number">{number}</span>
              <code>{line}</code>
            </li>
          )
        })}
      </ol>
    </div>
  )
}

const markClass = { none: '', reached: 'here', failed: 'here failed' } as const
