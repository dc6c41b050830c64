// Which comments on pull requests of Gitea and Forgejo are listed.
import { expect, it } from 'vitest'
import { createPlatform } from '../src/platforms/index.ts'
import { replyWith, startForge } from './fakes/forge/forge.ts'

const repo = 'acme/shop'
const token = 'a11ce00000000000000000000000000000000000'
const access = { repo, token }

it.each(['gitea', 'forgejo'] as const)(
  'lists comments on lines in %s although those of another pull request can not be read',
  async (dialect) => {
    await using forge = await startForge({ dialect })
    forge.createUser('alice', { token })
    await forge.createRepository(repo, { admins: ['alice'] })
    await forge.push(repo, 'main', { 'README.md': '# Shop\n' }, { author: 'alice' })
    const platform = createPlatform({
      ...{ id: dialect, url: forge.url, apiUrl: forge.apiUrl },
      ...{ oauth: null, userAgent: 'umpire-test' },
    })
    const numbers: number[] = []
    for (const name of ['one', 'two']) {
      await forge.push(repo, name, { [`${name}.ts`]: 'new\n' }, { author: 'alice' })
      const number = await forge.openPullRequest({ repo, head: name, author: 'alice' })
      numbers.push(number)
      const response = await fetch(`${forge.apiUrl}/repos/${repo}/pulls/${number}/reviews`, {
        method: 'POST',
        headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          event: 'COMMENT',
          comments: [{ path: `${name}.ts`, new_position: 1, body: `on ${name}` }],
        }),
      })
      expect(response.ok).toBe(true)
    }
    const list = async () => {
      const { comments, isComplete } = await platform.listComments(access, new Date(0))
      return { bodies: comments.map(({ body }) => body).sort(), isComplete }
    }
    for (const status of [404, 500]) {
      const remove = forge.faults.add({
        match: ({ path }) => path.endsWith(`/pulls/${numbers[0]}/reviews`),
        action: replyWith(status, { message: 'broken' }),
      })
      expect(await list()).toEqual({ bodies: ['on two'], isComplete: false })
      remove()
    }
    expect(await list()).toEqual({ bodies: ['on one', 'on two'], isComplete: true })
  },
)
