// Starts node processes one after another and prints the milliseconds from each start to its first answer.

// Imported dynamically, because the types are also checked without a build.
const { startNodeProcess } = await import(new URL('../../dist/index.js', import.meta.url).href)

for (let round = Number(process.argv[2]); round > 0; round--) {
  const began = performance.now()
  const { node, stop } = await startNodeProcess()
  await node.request('eth_chainId')
  console.log(performance.now() - began)
  await stop()
}
