// The platform contract on a real Gitea and a real Forgejo, where the environment names them.
import { describe, it } from 'vitest'
import { describePlatform } from './contracts/platform-contract.ts'
import { startRealGitea } from './contracts/real-gitea.ts'

for (const id of ['gitea', 'forgejo'] as const) {
  const prefix = `TEST_${id.toUpperCase()}`
  const [url, token] = [process.env[`${prefix}_URL`], process.env[`${prefix}_TOKEN`]]
  if (url && token) {
    describePlatform(`${id} at its address`, () => startRealGitea({ id, url, token }))
  } else {
    describe(`platform ${id}`, () => {
      it.skip(`needs a server: ${prefix}_URL and ${prefix}_TOKEN of an administrator`)
    })
  }
}
