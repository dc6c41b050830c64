// The platform contract for the GitLab adapter, on a local forge with GitLab's API.
import { expect, it } from 'vitest'
import { createPlatform } from '../src/platforms/index.ts'
import { startForgeFixture } from './contracts/forge-fixture.ts'
import {
  describePlatform,
  type PlatformFixture,
  type PlatformTraits,
  type PostedState,
} from './contracts/platform-contract.ts'
import { type Forge, replyWith } from './fakes/forge/forge.ts'
import { createDescriptionCheck } from './gitlab/description.ts'

const traits: PlatformTraits = {
  draftTitle: (title) => `Draft: ${title}`,
  webhookEvents: ['issues_events', 'merge_requests_events'],
  grantedScope: 'api',
  pullPath: null,
  commentsOnRanges: true,
  followsLines: true,
  refusedPlaces: [
    { path: 'src/count.ts', endLine: 35 },
    { path: 'src/none.ts', endLine: 1 },
  ],
  replacesVerdicts: false,
  writersDismiss: false,
  refusesDiffs: true,
  postsReviews: false,
  restrictsDismissals: false,
  signsDeliveries: false,
  countsDeliveredLines: false,
  listsSizes: false,
  pingsWebhooks: false,
  writersEdit: false,
  hasGroups: true,
  hidesPermissions: false,
}

const createGitlab = (forge: Pick<Forge, 'url' | 'apiUrl'>) =>
  createPlatform({
    id: 'gitlab',
    url: forge.url,
    apiUrl: forge.apiUrl,
    oauth: null,
    userAgent: 'umpire-test',
  })

const decisionNote = /^<!-- umpire:decides (approve|request_changes) /

/** Separates what the adapter writes about decisions from the other notes. */
function view(state: PostedState, resolved: ReadonlySet<string>): PostedState {
  const decisions = state.comments.filter(({ body }) => decisionNote.test(body))
  const approvals = new Set(
    state.reviews.filter((review) => review.state === 'approved').map(({ author }) => author),
  )
  const noted = decisions.map(({ id, author, body }) => {
    const isApproval = decisionNote.exec(body)?.[1] === 'approve'
    const isWithdrawn = body.includes('\nWithdrawn.\n') || resolved.has(id)
    const holds = !isWithdrawn && (!isApproval || approvals.has(author))
    const standing = isApproval ? ('approved' as const) : ('changes_requested' as const)
    return { id, author, body, state: holds ? standing : ('dismissed' as const) }
  })
  const explained = new Set(noted.map(({ author }) => author))
  const byHand = state.reviews.filter(({ author, state }) => {
    const isDecision = state === 'approved' || state === 'changes_requested'
    return isDecision && !explained.has(author)
  })
  return {
    comments: state.comments.filter(({ body }) => !decisionNote.test(body)),
    inline: state.inline,
    reviews: [...byHand, ...noted],
  }
}

const states = new Map([
  ['failed', 'failure'],
  ['running', 'pending'],
])

async function start(): Promise<PlatformFixture> {
  const check = createDescriptionCheck()
  let forge: Forge | undefined
  const fixture = await startForgeFixture({
    dialect: 'gitlab',
    traits,
    personalToken: 'glpat-0123456789abcdefghij',
    createPlatform: (one) => {
      forge = one
      return createGitlab(one)
    },
    deliveryHeader: 'idempotency-key',
    isDelivery: ({ payload, action }, wanted, number) => {
      const attributes = payload.object_attributes as { iid?: number; oldrev?: string } | undefined
      const isPush = action === 'update' && attributes?.oldrev !== undefined
      const names = new Map([['open', 'opened']])
      const named = isPush ? 'synchronize' : (names.get(action ?? '') ?? action)
      return (
        payload.object_kind === 'merge_request' && attributes?.iid === number && named === wanted
      )
    },
    writes: {
      summary: /\/notes$/,
      inline: /\/discussions$|\/approv(e|als)$/,
      check: /\/statuses\/\w+$/,
      dismissal: /\/unapprove$/,
    },
    observe: check.observe,
    descriptionProblems: check.problems,
  })
  const started = forge as Forge
  const { apiUrl, faults } = started
  const call = async (path: string, init: RequestInit = {}, token = 'token-umpire') => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const project = encodeURIComponent(fixture.access.repo)
    const response = await fetch(`${apiUrl}/projects/${project}${path}`, { ...init, headers })
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    return response.json()
  }
  const listNotes = async (number: number) =>
    (await call(`/merge_requests/${number}/notes?per_page=100`)) as {
      id: number
      resolved?: boolean
    }[]
  return {
    ...fixture,
    readPosted: async (number) => {
      const notes = await listNotes(number)
      const resolved = notes.filter((note) => note.resolved).map(({ id }) => String(id))
      return view(await fixture.readPosted(number), new Set(resolved))
    },
    statuses: async (sha) =>
      (await fixture.statuses(sha)).map(({ state, ...status }) => ({
        ...status,
        state: states.get(state) ?? state,
      })),
    refuseDiffs: () => {
      const file = { old_path: 'a', new_path: 'a', diff: '', collapsed: false, too_large: true }
      faults.add({ match: ({ path }) => path.endsWith('/diffs'), action: replyWith(200, [file]) })
    },
    async decide(number, author, state) {
      await fixture.decide(number, author, state)
      // Only a reviewer can request changes, and is still one afterwards.
      if (state === 'changes_requested')
        started.requestReview(fixture.access.repo, number, author, 'octo')
    },
    async dismiss(number, id) {
      const threads = (await call(`/merge_requests/${number}/discussions?per_page=100`)) as {
        id: string
        notes: { id: number }[]
      }[]
      const thread = threads.find(({ notes }) => notes.some((note) => String(note.id) === id))
      const body = JSON.stringify({ resolved: true })
      const path = `/merge_requests/${number}/discussions/${thread?.id}`
      await call(path, { method: 'PUT', body }, 'token-alice')
    },
    refuseEdits: () =>
      faults.add({
        match: ({ method, path }) => /PUT|DELETE/.test(method) && /\/notes\/\d+$/.test(path),
        action: replyWith(403, { message: '403 Forbidden' }),
      }),
  }
}

describePlatform('gitlab', start)

const platform = createGitlab({ url: 'https://gitlab.example', apiUrl: '' })

it('finds issues of groups of any depth, and no merge requests', () => {
  const texts = [
    'Closes tools/eu/shop#5, see !6 and acme/web!7.',
    'https://gitlab.example/acme/web/shop/-/issues/8#note_1',
    'https://gitlab.example/acme/shop/-/work_items/9',
    'https://gitlab.example/acme/shop/-/merge_requests/10',
  ]
  expect(platform.findIssues('acme/shop', { texts, branch: '11-fix' })).toEqual([
    { repo: 'tools:eu/shop', number: 5, closes: true },
    { repo: 'acme:web/shop', number: 8, closes: false },
    { repo: 'acme/shop', number: 9, closes: false },
    { repo: 'acme/shop', number: 11, closes: false },
  ])
})

it('suggests as many lines as GitLab applies', () => {
  expect([1, 3, 101, 102].map((lines) => platform.suggestionFence?.(lines))).toEqual([
    ...['suggestion:-0+0', 'suggestion:-2+0', 'suggestion:-100+0', ''],
  ])
})
