/** One of several choices, all visible. */
export function Segments<Choice extends string>(props: {
  label: string
  choices: readonly Choice[]
  value: Choice
  onChange: (choice: Choice) => void
}) {
  return (
    <div class="segments" role="group" aria-label={props.label}>
      {props.choices.map((choice) => (
        <button
          key={choice}
          type="button"
          aria-pressed={choice === props.value}
          onClick={() => props.onChange(choice)}
        >
          {choice}
        </button>
      ))}
    </div>
  )
}
