// How the page is built: into dist/, with compressed copies beside what is served.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

export default defineConfig({
  // Relative: the service may stand below a path.
  base: './',
  plugins: [react(), tailwindcss(), keepSmallIcons(), compressAssets()],
  build: {
    // As files, for the policy lets nothing be inline.
    assetsInlineLimit: 0,
    // Grammars for syntax highlighting load one at a time, on demand.
    chunkSizeWarningLimit: 1200,
  },
  server: {
    // The page loads the addresses of the API from the service's sources.
    fs: { allow: ['.', '../src/contract'] },
    proxy: Object.fromEntries(
      ['/api', '/auth', '/docs', '/openapi.json'].map((path) => [path, 'http://127.0.0.1:8484']),
    ),
  },
})

/** Each icon comes in several sizes, of which the page scales the smallest ones. */
function keepSmallIcons(): Plugin {
  return {
    name: 'keep-small-icons',
    transform(code, id) {
      if (!/octicons-react\/dist\/icons\/\w+\.mjs$/.test(id)) return null
      return code
        .replace(/,\n\t"(?:24|48|96)": \{[\s\S]*?\n\t\}/g, '')
        .replace(/^var heights = \[[^\]]*\]/m, (list) => list.replace(/,\s*"(?:24|48|96)"/g, ''))
    },
  }
}

/** Once here, so that no request waits for it. */
function compressAssets(): Plugin {
  let folder = ''
  return {
    name: 'compress-assets',
    apply: 'build',
    configResolved({ root, build }) {
      folder = join(root, build.outDir, build.assetsDir)
    },
    closeBundle() {
      for (const name of readdirSync(folder)) {
        if (!/\.(js|css|svg)$/.test(name)) continue
        const content = readFileSync(join(folder, name))
        writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }))
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content))
      }
    },
  }
}
