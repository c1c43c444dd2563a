import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/** The browser page: built into dist/page, served by the node under `/_standin/page/`. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/_standin/page/',
  build: {
    outDir: '../dist/page',
    emptyOutDir: true,
    target: 'es2022',
    // No inlining: the node's Content-Security-Policy forbids data: scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Shared code in one script and one style sheet, because each request delays the first view by milliseconds.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
    reportCompressedSize: true,
    license: { fileName: 'LICENSES.md' },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
})
