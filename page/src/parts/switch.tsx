import './switch.css'

/** An on/off switch. */
export function Switch(props: { label: string; isOn: boolean; onToggle: () => void }) {
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-checked={props.isOn}
      aria-label={props.label}
      onClick={props.onToggle}
    >
      <span aria-hidden="true">{props.isOn ? 'On' : 'Off'}</span>
    </button>
  )
}
