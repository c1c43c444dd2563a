export function FilesView({ path }: { path: readonly string[] }) {
  return <p>{path.join('/')}</p>
}
