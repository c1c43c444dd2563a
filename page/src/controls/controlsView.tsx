export function ControlsView({ path }: { path: readonly string[] }) {
  return <p>{path.join('/')}</p>
}
