// Starts nodes in processes of their own, one after another, and prints the milliseconds from each start to its first answer.

// Of the build, which need not be there when types are checked.
const { startNodeProcess } = await import(new URL('../../dist/index.js', import.meta.url).href)

for (let round = Number(process.argv[2]); round > 0; round--) {
  const began = performance.now()
  const { node, stop } = await startNodeProcess()
  await node.request('eth_chainId')
  console.log(performance.now() - began)
  await stop()
}
