// Global setup of the page tests: builds the page once.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export function setup(): void {
  const script = fileURLToPath(new URL('../../scripts/ensure-page.mjs', import.meta.url))
  execFileSync(process.execPath, [script], { stdio: 'inherit' })
}
