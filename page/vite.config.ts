import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/** The page that browsers see: built into dist/page, served by the node under `/_standin/page/`. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/_standin/page/',
  build: {
    outDir: '../dist/page',
    emptyOutDir: true,
    target: 'es2022',
    // The node forbids data: scripts and styles, and inlined modules would be such.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What every view needs comes in one script and one style sheet: each request costs the first view milliseconds.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
    reportCompressedSize: true,
    license: { fileName: 'LICENSES.md' },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
})
