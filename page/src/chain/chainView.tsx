export function ChainView({ path }: { path: readonly string[] }) {
  return <p>{path.join('/')}</p>
}
