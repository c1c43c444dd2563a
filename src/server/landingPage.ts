/** The page that a browser shows at `/`. */
export function formatLandingPage(urls: Readonly<Record<string, string>>): string {
  const rows = Object.entries(urls).map(
    ([name, url]) => `<tr><th>${escapeHtml(name)}</th><td><code>${escapeHtml(url)}</code></td></tr>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Standin</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem }
th { text-align: left; padding-right: 1.5rem; font-weight: 600 }
code { font-size: 0.95em }
</style>
</head>
<body>
<h1>Standin</h1>
<p>A local stand-in for a hosted Ethereum node and file network. This is no website: point an Ethereum client or
an IPFS client at the addresses below.</p>
<table>
${rows.join('\n')}
</table>
</body>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
