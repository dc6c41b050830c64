// The tests that every platform adapter must pass on a running platform given by a fixture.
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DiffSide } from '../../src/domain/diff.ts'
import { LeaseLostError } from '../../src/domain/errors.ts'
import type { CommentRef } from '../../src/domain/platform-request.ts'
import type { Decision } from '../../src/domain/review.ts'
import type {
  Access,
  AnnotatedFinding,
  Check,
  CheckButton,
  DecisionsToWithdraw,
  InlineComment,
  OAuthApplication,
  Platform,
  Reply,
  ReviewToPublish,
} from '../../src/platforms/platform.ts'
import type {
  AppRegistration,
  AppRegistrationForm,
  FailedDelivery,
} from '../../src/platforms/platform-app.ts'
import { describeTools } from './tool-contract.ts'

/** The content of a pull request as the platform stores it. */
export interface PostedState {
  readonly comments: readonly { id: string; author: string; body: string; edits: number }[]
  readonly inline: readonly {
    id: string
    author: string
    body: string
    edits: number
    path: string
    side: 'LEFT' | 'RIGHT'
    line: number | null
    startLine: number | null
  }[]
  readonly reviews: readonly {
    id: string
    author: string
    state: 'commented' | 'approved' | 'changes_requested' | 'dismissed'
    body: string
  }[]
}

interface PostedCheck {
  readonly name: string
  /** Slug of the App. */
  readonly app: string
  readonly status: string
  readonly conclusion: string | null
  readonly title: string | null
  readonly summary: string | null
  readonly url: string | null
  readonly annotations: readonly {
    path: string
    start_line: number
    end_line: number
    annotation_level: string
    title: string | null
    message: string
  }[]
  readonly buttons: readonly string[]
}

/** A place at which a comment can't be. */
export interface RefusedPlace {
  readonly path: string
  readonly endLine: number
}

/** What a host does in its own way, as data: no test asks for the name of a platform. */
export interface PlatformTraits {
  /** Returns the title that it shows of a draft. */
  draftTitle(title: string): string
  /** The events of a webhook, in alphabetical order. */
  readonly webhookEvents: readonly string[]
  /** A scope that a sign-in results in; null where the host doesn't say. */
  readonly grantedScope: string | null
  /**
   * What is before the number in the address of a pull request; null where issues have numbers of
   * their own, so that a number doesn't say which of both it is.
   */
  readonly pullPath: string | null
  /** Whether a comment can be about several lines. */
  readonly commentsOnRanges: boolean
  /** Whether it says where the line of a comment is after a push, or that it is gone. */
  readonly followsLines: boolean
  /** Two places at which it refuses comments; null where it takes all. */
  readonly refusedPlaces: readonly [RefusedPlace, RefusedPlace] | null
  /** Whether a verdict of an account takes its former ones back. */
  readonly replacesVerdicts: boolean
  /** Whether all who can write may dismiss reviews, unless `restrictDismissals` forbids it. */
  readonly writersDismiss: boolean
  /** Whether it refuses to build large diffs. */
  readonly refusesDiffs: boolean
  /** Whether comments on lines are posted with a review that carries them. */
  readonly postsReviews: boolean
  /** Whether `restrictDismissals` keeps an account from dismissing its own approval. */
  readonly restrictsDismissals: boolean
  /** Whether the webhook of the fixture has deliveries with a signature of the body. */
  readonly signsDeliveries: boolean
  /** Whether it sends a delivery when a webhook is created. */
  readonly pingsWebhooks: boolean
  /** Whether all who can write may edit the comments of others. */
  readonly writersEdit: boolean
  /** Whether deliveries have the numbers of added and deleted lines. */
  readonly countsDeliveredLines: boolean
  /** Whether trees have the sizes of files. */
  readonly listsSizes: boolean
  /** Whether `a/b/c` is the path of a repository. */
  readonly hasGroups: boolean
  /** Whether it shows the permissions of others to those who can write alone. */
  readonly hidesPermissions: boolean
}

export type Files = Readonly<Record<string, string | Buffer | null>>

/** A running platform with one private repository with `mainFiles` on `main`. */
export interface PlatformFixture {
  readonly platform: Platform
  readonly traits: PlatformTraits
  /** The account that reviews: administrator of the repository. */
  readonly access: Access
  readonly login: string
  /** An account with write access to the repository that administers nothing. */
  readonly otherAccess: Access
  readonly otherLogin: string
  /** The format of tokens that users create for themselves. */
  readonly personalToken: string
  /**
   * Commits on a branch, created from `main` if it doesn't exist. Null deletes a file. Returns the
   * commit.
   */
  push(branch: string, files: Files, message?: string): Promise<string>
  /** Opens a pull request into `main`, by default as the other account. Returns its number. */
  open(input: {
    head: string
    title?: string
    body?: string
    author?: string
    draft?: boolean
  }): Promise<number>
  /** Opens an issue. Returns its number. */
  openIssue(input: { title: string; body: string }): Promise<number>
  /**
   * Other repositories: a public one, one that the reviewing account can't see, and one that it
   * administers too.
   */
  readonly otherRepositories: {
    readonly public: string
    readonly hidden: string
    readonly administered: string
  }
  /** The address of the platform's pages. */
  readonly url: string
  /** The application at which people sign in. */
  readonly application: OAuthApplication
  merge(number: number): Promise<void>
  close(number: number): Promise<void>
  /** Writes a comment on the pull request. Returns its id, here and below. */
  comment(number: number, author: string, body: string): Promise<string>
  /** Replies to an inline comment. */
  reply(number: number, commentId: string, author: string, body: string): Promise<string>
  /** Returns the reactions to a comment of either kind. */
  reactions(
    number: number,
    commentId: string,
  ): Promise<readonly { content: string; author: string }[]>
  readPosted(number: number): Promise<PostedState>
  statuses(
    sha: string,
  ): Promise<readonly { context: string; state: string; description: string; url: string }[]>
  webhooks(): Promise<
    readonly { id: number; url: string; events: readonly string[]; active: boolean }[]
  >
  /** Returns the webhook request about that action on a pull request, as the server received it. */
  delivery(
    action: string,
    number: number,
  ): Promise<{ headers: IncomingHttpHeaders; body: Buffer; secret: string }>
  rename(name: string): Promise<void>
  /** Returns how often something was written through the API. */
  countWrites(): number
  /**
   * Applies the next write of that kind but loses its answer; with `late`, lists omit it on their
   * first read afterwards. Returns a function that reports whether that happened.
   */
  loseResponse(
    of: 'summary' | 'inline' | 'check' | 'dismissal',
    how?: { late: boolean },
  ): () => boolean
  /** Lists omit everything written from now on, until the returned function is called. */
  holdLists(): () => void
  /** A person posts a review of the head, or dismisses one. */
  decide(number: number, author: string, state: 'approved' | 'changes_requested'): Promise<void>
  dismiss(number: number, reviewId: string, by: string): Promise<void>
  /** Lets administrators alone dismiss reviews, until the returned function is called. */
  restrictDismissals(): () => void
  /** Refuses to edit and delete comments, until the returned function is called. */
  refuseEdits(): () => void
  /** From now on all diffs count as too large, where the host refuses such. */
  refuseDiffs(): void
  /** Returns where requests and answers so far differ from the platform's published description. */
  descriptionProblems(): readonly string[]
  /** Follows an authorization address in that account's browser. Returns the redirect address. */
  signIn(authorizeUrl: string, login: string): Promise<URL>
  /** Null where the platform has no Apps. */
  readonly apps: AppFixture | null
  /** Null where what other tools found can't be read. */
  readonly tools: ToolFixture | null
  [Symbol.asyncDispose](): Promise<void>
}

/** What other tools and CI do. */
export interface ToolFixture {
  /** Uploads a log of a tool about a head, a trial merge of one, or the tip of a branch. */
  uploadAnalysis(
    of: { number: number; isMerge?: boolean } | { branch: string },
    log: { tool: string; category: string; results: number },
  ): Promise<string>
  /** Starts a run about a commit. Returns a function that ends it with artifacts. */
  startRun(
    sha: string,
    event: 'push' | 'pull_request' | 'pull_request_target',
  ): (artifacts: Readonly<Record<string, Uint8Array>>) => Promise<void>
  /** Deletes the archives of all artifacts. */
  expireArtifacts(): void
}

/** What people do with an App on the platform. */
export interface AppFixture {
  /** Posts the form and confirms it, as the reviewing account. Returns the redirect address. */
  confirm(form: AppRegistrationForm): Promise<URL>
  /** Installs the App in the repository of the fixture. Returns the platform's id. */
  install(slug: string): string
  uninstall(installationId: string): void
  suspend(installationId: string): void
  /** Waits until the newest delivery of that event failed so many times; once unless given. */
  failedDelivery(
    event: string,
    options?: { attempts?: number },
  ): Promise<{ id: string; payload: string }>
  /** The payload of the newest delivery to the App. */
  delivered(event: string): Promise<string>
  /** All checks of a commit. `level` is that of the platform. */
  checks(sha: string): readonly PostedCheck[]
  /** Requests at the newest check of a commit, as an account with write access. */
  rerun(sha: string, login: string): void
  rerunAll(sha: string, slug: string, login: string): Promise<void>
  pressButton(sha: string, request: CheckButton['request'], login: string): void
  /** Adds a pull request to the merge queue. Returns the commit of its group. */
  enqueue(number: number, login: string): Promise<string>
  /** Changes of a pull request, as its author. */
  reopen(number: number): Promise<void>
  markReady(number: number): void
  edit(number: number, change: { title?: string; body?: string; base?: string }): Promise<void>
  addLabel(number: number, name: string, login: string): void
  removeLabel(number: number, name: string, login: string): void
  requestReviewer(number: number, reviewer: string, login: string): void
}

export const mainFiles: Files = {
  'README.md': '# Hello\n',
  'src/count.ts': Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`).join(''),
  'src/old name.ts': 'one\ntwo\nthree\nfour\nfive\n',
  'assets/logo.bin': Buffer.from([0, 1, 2, 0xff, 0xfe, 0x0a, 0x0d]),
}

const summaryMarker = '<!-- umpire:review v=1 -->'
const run = promisify(execFile)

async function catchError(promise: Promise<unknown>): Promise<Error & { code?: string }> {
  return promise.then(
    () => expect.fail('it should have failed'),
    (error) => error,
  )
}

interface CommentInput {
  readonly path?: string
  /** `RIGHT` unless given. */
  readonly side?: DiffSide
  /** `endLine` unless given. */
  readonly startLine?: number
  /** 1 unless given. */
  readonly endLine?: number
  readonly body?: string
}

function makeComment(id: string, input: CommentInput = {}): InlineComment {
  const marker = `<!-- umpire:finding ${id} -->`
  const { path = 'src/count.ts', side = 'RIGHT', endLine = 1, startLine = endLine } = input
  const at = (line: number) =>
    side === 'LEFT' ? { old: line, new: null } : { old: null, new: line }
  return {
    marker,
    place: { path, oldPath: path, side, start: at(startLine), end: at(endLine) },
    body: input.body ?? `Claim ${id}\n\n${marker}`,
  }
}

function makeReview(
  number: number,
  headSha: string,
  rest: Partial<ReviewToPublish> = {},
): ReviewToPublish {
  return {
    number,
    headSha,
    summary: { marker: summaryMarker, body: `${summaryMarker}\n### Nothing to say`, url: null },
    comments: [],
    updateOnly: [],
    formerMarkers: [],
    postedUrls: [],
    decision: null,
    beforeWrite: async () => {},
    ...rest,
  }
}

function makeCheck(sha: string, rest: Partial<Check> = {}): Check {
  return {
    sha,
    name: 'umpire/review',
    state: { end: 'passed', blocks: false },
    title: 'Passed',
    summary: '### Passed',
    annotations: [],
    buttons: [],
    url: 'https://umpire.example/1',
    beforeWrite: async () => {},
    ...rest,
  }
}

function makeAnnotation(line: number, rest: Partial<AnnotatedFinding> = {}): AnnotatedFinding {
  return {
    ...{ path: 'src/count.ts', side: 'RIGHT', startLine: line, endLine: line },
    ...{ severity: 'moderate', category: 'correctness' },
    ...{ title: `Line ${line} is wrong`, body: `When ${line}, then not.` },
    ...rest,
  }
}

function changeLines(lines: Readonly<Record<number, string | null>>): Files {
  const all = String(mainFiles['src/count.ts']).split('\n')
  for (const [line, text] of Object.entries(lines)) all[Number(line) - 1] = text ?? '\0'
  return { 'src/count.ts': all.filter((text) => text !== '\0').join('\n') }
}

/** Registers the suite. Each test opens its own pull request; the fixture is shared. */
export function describePlatform(name: string, start: () => Promise<PlatformFixture>): void {
  describe(`platform ${name}`, () => {
    let fixture: PlatformFixture
    let platform: Platform
    let access: Access
    let branches = 0

    beforeAll(async () => {
      fixture = await start()
      platform = fixture.platform
      access = fixture.access
    })
    afterAll(async () => {
      await fixture[Symbol.asyncDispose]()
      expect(fixture.descriptionProblems()).toEqual([])
    })

    /** Opens a pull request that changes lines 3, 20 and 21 of a file with 40 lines. */
    async function openChange(files = changeLines({ 3: 'changed 3', 20: 'changed 20', 21: null })) {
      const head = `topic-${++branches}`
      const sha = await fixture.push(head, files)
      return { sha, head, number: await fixture.open({ head }) }
    }

    /** Its head is a commit of its own, even within a second. */
    const openOwnCommit = () => openChange(changeLines({ 3: `changed ${branches}` }))

    describe('accounts and repositories', () => {
      it('identifies the owner of a token, and rejects an invalid one', async () => {
        expect(await platform.getViewer(access.token)).toMatchObject({
          login: fixture.login,
          id: expect.stringMatching(/^\d+$/),
        })
        const error = await catchError(platform.getViewer('not-a-token'))
        expect(error).toMatchObject({ name: 'PlatformError', code: 'platform_unauthorized' })
      })

      it('lists and searches repositories with their administrators', async () => {
        const all = await platform.listRepositories(access.token, { page: 1, perPage: 50 })
        expect(all.repositories).toContainEqual(
          expect.objectContaining({
            repo: access.repo,
            private: true,
            admin: true,
            defaultBranch: 'main',
          }),
        )
        const search = access.repo.slice(1, -1).toUpperCase()
        const find = (token: string, page: number) =>
          platform.listRepositories(token, { search, page, perPage: 50 })
        const found = await find(access.token, 1)
        expect({ ...found, repositories: found.repositories.map(({ repo }) => repo) }).toEqual({
          repositories: [access.repo],
          hasMore: false,
        })
        expect(await find(access.token, 2)).toEqual({ repositories: [], hasMore: false })
        expect((await find(fixture.otherAccess.token, 1)).repositories).toMatchObject([
          { repo: access.repo, admin: false },
        ])
        expect(
          await platform.listRepositories(access.token, { search: '%', page: 1, perPage: 50 }),
        ).toMatchObject({
          repositories: [],
        })
      })

      it('lists repositories that the account administers, page by page', async () => {
        const list = (page: number) =>
          platform.listRepositories(access.token, { administered: true, page, perPage: 1 })
        const [first, second] = [await list(1), await list(2)]
        expect([first.hasMore, second.hasMore]).toEqual([true, false])
        expect(
          [...first.repositories, ...second.repositories].map(({ repo }) => repo).sort(),
        ).toEqual([access.repo, fixture.otherRepositories.administered].sort())
        const none = await platform.listRepositories(fixture.otherAccess.token, {
          administered: true,
          page: 1,
          perPage: 50,
        })
        expect(none).toEqual({ repositories: [], hasMore: false })
      })

      it('returns a repository in its canonical spelling with its administrators', async () => {
        const shouted = { ...access, repo: access.repo.toUpperCase() }
        expect(await platform.getRepository(shouted)).toMatchObject({
          ...{ id: expect.stringMatching(/^\d+$/), repo: access.repo },
          ...{ private: true, admin: true, push: true },
        })
        expect(await platform.getRepository(fixture.otherAccess)).toMatchObject({
          repo: access.repo,
          admin: false,
        })
        const hidden = await catchError(
          platform.getRepository({ ...access, repo: fixture.otherRepositories.hidden }),
        )
        expect(hidden.code).toBe('platform_not_found')
        for (const repo of ['../..', 'a', 'a/b/c', '']) {
          expect((await catchError(platform.getRepository({ ...access, repo }))).code).toBe(
            'platform_not_found',
          )
        }
      })

      it('signs in with a code and PKCE, once', async () => {
        const codeVerifier = randomBytes(32).toString('base64url')
        const redirectUri = 'http://127.0.0.1:1/auth/callback'
        const authorizeUrl = platform.authorizeUrl(fixture.application, {
          redirectUri,
          state: 'state & more',
          codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
        })
        const back = await fixture.signIn(authorizeUrl, fixture.login)
        expect(back.href).toMatch(/^http:\/\/127\.0\.0\.1:1\/auth\/callback\?/)
        expect(back.searchParams.get('state')).toBe('state & more')
        const code = back.searchParams.get('code')!
        const grant = await platform.exchangeCode(fixture.application, {
          code,
          redirectUri,
          codeVerifier,
        })
        const { grantedScope } = fixture.traits
        if (grantedScope !== null) expect(grant.scopes).toContain(grantedScope)
        expect((await platform.getViewer(grant.token)).login).toBe(fixture.login)
        expect(platform.isPersonalToken(grant.token)).toBe(false)
        expect(platform.isPersonalToken(fixture.personalToken)).toBe(true)
        const replay = await catchError(
          platform.exchangeCode(fixture.application, { code, redirectUri, codeVerifier }),
        )
        expect(replay.code).toBe('platform_unauthorized')
        const second = await fixture.signIn(authorizeUrl, fixture.login)
        const wrong = {
          code: second.searchParams.get('code')!,
          redirectUri,
          codeVerifier: 'x'.repeat(43),
        }
        expect((await catchError(platform.exchangeCode(fixture.application, wrong))).code).toBe(
          'platform_unauthorized',
        )
      })
    })

    describe('an App', () => {
      beforeEach((context) => {
        if (platform.apps === null) context.skip()
      })

      const installed: string[] = []
      afterEach(() => {
        for (const id of installed.splice(0)) fixture.apps!.uninstall(id)
      })
      function install({ slug }: AppRegistration): string {
        const id = fixture.apps!.install(slug)
        installed.push(id)
        return id
      }

      async function createApp(): Promise<AppRegistration> {
        const form = platform.apps!.describeRegistration({
          organization: null,
          name: `reviewer-${++branches}`,
          homepageUrl: 'https://umpire.example',
          webhookUrl: 'http://127.0.0.1:1/api/v1/webhooks/app',
          redirectUrl: 'http://127.0.0.1:1/callback',
          callbackUrl: 'http://127.0.0.1:1/auth/callback',
          setupUrl: 'http://127.0.0.1:1/repositories',
          state: 'state & more',
        })
        const back = await fixture.apps!.confirm(form)
        expect(back.searchParams.get('state')).toBe('state & more')
        const code = back.searchParams.get('code')!
        const app = await platform.apps!.exchangeManifestCode(code)
        const replay = await catchError(platform.apps!.exchangeManifestCode(code))
        expect(replay.code).toBe('platform_not_found')
        return app
      }

      it('is created from its manifest, with what reviews need', async () => {
        const app = await createApp()
        expect(await platform.apps!.inspectApp(app)).toEqual({
          name: app.name,
          missingPermissions: [],
          missingToolPermissions: ['actions: read', 'security_events: read'],
          missingEvents: [],
          webhookUrl: 'http://127.0.0.1:1/api/v1/webhooks/app',
        })
        const other = await createApp()
        const stolen = { ...app, privateKey: other.privateKey }
        for (const wrong of [stolen, { ...app, privateKey: 'no key' }]) {
          const error = await catchError(platform.apps!.inspectApp(wrong))
          expect(error.code).toBe('platform_unauthorized')
          expect(error.message).not.toContain(wrong.privateKey)
        }
      })

      it('acts as its own account in the repository of a token, and nowhere else', async () => {
        const app = await createApp()
        const installationId = install(app)
        const { id: repositoryId } = await platform.getRepository(access)
        const { token, expiresAt } = await platform.apps!.createInstallationToken(app, {
          ...{ installationId, repositoryId },
        })
        expect(expiresAt.getTime()).toBeGreaterThan(Date.now() + 50 * 60_000)
        const asApp = { repo: access.repo, token, appSlug: app.slug }
        const elsewhere = { ...asApp, repo: fixture.otherRepositories.administered }
        expect((await catchError(platform.deleteWebhook(elsewhere, 1))).code).toBe(
          'platform_forbidden',
        )

        const { number, sha } = await openChange()
        const comments = [makeComment('of the App', { endLine: 3 })]
        const review = makeReview(number, sha, { comments })
        await platform.ensureReview(asApp, review)
        await platform.ensureReview(asApp, review)
        const login = `${app.slug}[bot]`
        expect(await fixture.readPosted(number)).toMatchObject({
          comments: [{ author: login }],
          inline: [{ author: login }],
        })
        const threads = await platform.listThreads(asApp, number, [])
        expect(threads).toMatchObject([{ comments: [{ own: true, bot: true }] }])
        expect(await platform.listThreads(access, number, [])).toMatchObject([
          { comments: [{ own: false }] },
        ])
      })

      it('creates a token that can only read the files of one repository', async () => {
        const app = await createApp()
        const installationId = install(app)
        const create = (repositoryName: string) =>
          platform.apps!.createReadToken(app, { installationId, repositoryName })
        const { token } = await create(access.repo.split('/')[1]!)
        const asReader = { repo: access.repo, token, appSlug: app.slug }
        const { number, sha } = await openChange()
        const { entries } = await platform.getTree(asReader, sha)
        const { path } = entries.find(({ kind }) => kind === 'file')!
        expect(await platform.getFile(asReader, path, sha)).toBeDefined()
        const review = makeReview(number, sha, { comments: [] })
        const refused = await catchError(platform.ensureReview(asReader, review))
        expect(refused.code).toBe('platform_forbidden')
        expect((await catchError(create('no-such-repository'))).code).toBe('platform_refused')
      })

      /** Creates an App that may write to the repository. */
      async function actAsApp(): Promise<{ slug: string; asApp: Access }> {
        const app = await createApp()
        const { id: repositoryId } = await platform.getRepository(access)
        const input = { installationId: install(app), repositoryId }
        const { token } = await platform.apps!.createInstallationToken(app, input)
        return { slug: app.slug, asApp: { repo: access.repo, token, appSlug: app.slug } }
      }

      it('shows one check run on a commit, with the five ends', async () => {
        const { slug, asApp } = await actAsApp()
        const { sha } = await openOwnCommit()
        await platform.ensureCheck(asApp, makeCheck(sha, { state: 'pending', title: 'Under way' }))
        expect(fixture.apps!.checks(sha)).toMatchObject([
          { name: 'umpire/review', app: slug, status: 'in_progress', conclusion: null },
        ])
        const ends = [
          ['passed', false, 'success'],
          ['changes_requested', true, 'failure'],
          ['changes_requested', false, 'neutral'],
          ['needs_person', true, 'failure'],
          ['needs_person', false, 'neutral'],
          ['incomplete', true, 'action_required'],
          ['incomplete', false, 'neutral'],
          ['skipped', true, 'action_required'],
          ['skipped', false, 'neutral'],
        ] as const
        for (const [end, blocks, conclusion] of ends) {
          const check = makeCheck(sha, { state: { end, blocks }, title: end })
          await platform.ensureCheck(asApp, check)
          expect(fixture.apps!.checks(sha)).toMatchObject([
            {
              ...{ status: 'completed', conclusion, title: end, summary: '### Passed' },
              url: 'https://umpire.example/1',
            },
          ])
        }
        await platform.ensureCheck(asApp, makeCheck(sha, { state: 'pending', title: 'Again' }))
        expect(fixture.apps!.checks(sha)).toMatchObject([
          { status: 'in_progress', conclusion: null, title: 'Again' },
        ])
        expect(await fixture.statuses(sha)).toEqual([])
      })

      it('does not take the check of another App for its own', async () => {
        const [first, second] = [await actAsApp(), await actAsApp()]
        const { sha } = await openOwnCommit()
        await platform.ensureCheck(first.asApp, makeCheck(sha))
        await platform.ensureCheck(second.asApp, makeCheck(sha, { title: 'Of the second' }))
        expect(fixture.apps!.checks(sha)).toMatchObject([
          { app: first.slug, title: 'Passed' },
          { app: second.slug, title: 'Of the second' },
        ])
      })

      it('annotates all findings in pages, each once however often it is repeated', async () => {
        const { asApp } = await actAsApp()
        const { sha } = await openOwnCommit()
        const annotations = [
          makeAnnotation(1, { severity: 'critical', endLine: 2, title: 'Line `1` is wrong' }),
          makeAnnotation(2, { severity: 'minor' }),
          ...Array.from({ length: 110 }, (_, index) =>
            makeAnnotation(3, { title: `Claim ${index + 1}` }),
          ),
          makeAnnotation(3, { side: 'LEFT', title: 'Of the old side' }),
        ]
        await platform.ensureCheck(asApp, makeCheck(sha, { annotations }))
        await platform.ensureCheck(asApp, makeCheck(sha, { annotations }))
        const more = [...annotations, makeAnnotation(20, { body: '' })]
        await platform.ensureCheck(asApp, makeCheck(sha, { annotations: more }))
        const [check] = fixture.apps!.checks(sha)
        expect(check!.annotations).toHaveLength(113)
        expect(check!.annotations.slice(0, 2)).toMatchObject([
          {
            ...{ path: 'src/count.ts', start_line: 1, end_line: 2, annotation_level: 'failure' },
            title: 'Critical · correctness: Line 1 is wrong',
            message: 'When 1, then not.',
          },
          { start_line: 2, annotation_level: 'notice' },
        ])
        expect(check!.annotations[2]!.annotation_level).toBe('warning')
        expect(check!.annotations.at(-1)).toMatchObject({ message: 'Line 20 is wrong' })
      })

      it('case 52: repeats a check whose answer was lost without a second one', async () => {
        const { asApp } = await actAsApp()
        const { sha } = await openOwnCommit()
        const annotations = [makeAnnotation(3), makeAnnotation(20)]
        const wasLost = fixture.loseResponse('check')
        await platform.ensureCheck(asApp, makeCheck(sha, { annotations }))
        expect(wasLost()).toBe(true)
        expect(fixture.apps!.checks(sha)).toHaveLength(1)
        expect(fixture.apps!.checks(sha)[0]!.annotations).toHaveLength(2)
      })

      it('cuts a long summary at a line, with a note', async () => {
        const { asApp } = await actAsApp()
        const { sha } = await openOwnCommit()
        const line = `- ${'x'.repeat(97)}`
        const summary = Array.from({ length: 1000 }, () => line).join('\n')
        await platform.ensureCheck(asApp, makeCheck(sha, { summary, title: 'y'.repeat(300) }))
        const [check] = fixture.apps!.checks(sha)
        const lines = check!.summary!.split('\n')
        expect(check!.summary!.length).toBeGreaterThan(65_000)
        expect(new Set(lines.slice(0, -2))).toEqual(new Set([line]))
        expect(lines.at(-1)).toMatch(/left out/)
        expect(check!.title).toHaveLength(255)
      })

      it('reads what people request at a check, and the commits of the merge queue', async () => {
        const { slug, asApp } = await actAsApp()
        const { number, sha } = await openOwnCommit()
        const button = { label: 'Press', description: 'Do it' }
        const buttons = (['review', 'dismiss_minor'] as const).map((request) => ({
          ...button,
          request,
        }))
        await platform.ensureCheck(asApp, makeCheck(sha, { buttons }))
        expect(fixture.apps!.checks(sha)[0]!.buttons).toEqual(['review', 'dismiss_minor'])
        const read = async (event: string, change: object = {}) => {
          const payload = { ...JSON.parse(await fixture.apps!.delivered(event)), ...change }
          return platform.apps!.readRequest({ event, payload: JSON.stringify(payload) })
        }
        const login = fixture.otherLogin
        const sender = { id: expect.stringMatching(/^\d+$/), login }
        fixture.apps!.rerun(sha, login)
        expect(await read('check_run')).toEqual({ kind: 'review', headSha: sha, sender })
        fixture.apps!.pressButton(sha, 'dismiss_minor', login)
        expect(await read('check_run')).toEqual({ kind: 'dismiss_minor', headSha: sha, sender })
        const bot = { sender: { id: 1, login: 'robot[bot]', type: 'Bot' } }
        expect(await read('check_run', bot)).toBe('nothing')
        expect(await read('check_run', { requested_action: { identifier: 'merge' } })).toBe(
          'nothing',
        )
        expect(await read('check_run', { action: 'completed' })).toBe('nothing')
        await fixture.apps!.rerunAll(sha, slug, login)
        expect(await read('check_suite')).toEqual({ kind: 'review', headSha: sha, sender })
        const group = await fixture.apps!.enqueue(number, login)
        expect(await read('merge_group')).toEqual({ kind: 'merge_group', headSha: group, number })
        expect(await read('merge_group', { action: 'destroyed' })).toBe('nothing')
        expect(await read('pull_request')).toBe(null)
      })

      it('reads which changes of a pull request may need a review', async () => {
        const { apps } = fixture
        await actAsApp()
        const head = `topic-${++branches}`
        await fixture.push(head, changeLines({ 3: 'changed' }))
        await fixture.push('stable', { 'docs/stable.md': 'Stable\n' })
        const number = await fixture.open({ head, body: 'Text', draft: true })
        const read = async () => {
          const payload = await apps!.delivered('pull_request')
          const { action } = JSON.parse(payload)
          const delivery = { event: 'pull_request', action, payload }
          return [action, platform.apps!.startsReview(delivery)]
        }
        // What every webhook brings starts a review without it.
        expect(await read()).toEqual(['opened', false])
        apps!.markReady(number)
        expect(await read()).toEqual(['ready_for_review', true])
        await fixture.close(number)
        expect(await read()).toEqual(['closed', false])
        await apps!.reopen(number)
        expect(await read()).toEqual(['reopened', true])
        await apps!.edit(number, { title: 'Another title' })
        expect(await read()).toEqual(['edited', true])
        await apps!.edit(number, { base: 'stable' })
        expect(await read()).toEqual(['edited', true])
        await apps!.edit(number, { body: 'Another text' })
        expect(await read()).toEqual(['edited', false])
        apps!.addLabel(number, 'bug', fixture.otherLogin)
        expect(await read()).toEqual(['labeled', false])
      })

      it('reads labels and requests for reviewers', async () => {
        const { apps, login, otherLogin } = fixture
        await actAsApp()
        const head = `topic-${++branches}`
        const headSha = await fixture.push(head, changeLines({ 3: 'changed' }))
        const number = await fixture.open({ head })
        const read = async (change: object = {}) => {
          const event = 'pull_request'
          const payload = { ...JSON.parse(await apps!.delivered(event)), ...change }
          return platform.apps!.readRequest({ event, payload: JSON.stringify(payload) })
        }
        const sender = { id: expect.stringMatching(/^\d+$/), login: otherLogin }
        const common = { headSha, number, sender }
        expect(await read()).toBe(null)
        apps!.addLabel(number, 'Please review', otherLogin)
        const label = { ...common, kind: 'labeled', subject: 'Please review' }
        expect(await read()).toEqual(label)
        const { labels, isByBot } = await platform.getPullRequest(access, number)
        expect({ labels, isByBot }).toEqual({ labels: ['Please review'], isByBot: false })
        expect(await read({ sender: { id: 1, login: 'robot[bot]', type: 'Bot' } })).toBe(null)
        apps!.removeLabel(number, 'Please review', otherLogin)
        expect(await read()).toEqual({ ...label, kind: 'unlabeled' })
        apps!.requestReviewer(number, login, otherLogin)
        const request = { ...common, kind: 'reviewer_requested', subject: login }
        expect(await read()).toEqual(request)
      })

      it('reads the comments of people, as they were posted', async () => {
        const { apps, login, otherLogin } = fixture
        const { asApp } = await actAsApp()
        const { number, sha } = await openChange()
        const read = async (event: string, change: object = {}) => {
          const payload = { ...JSON.parse(await apps!.delivered(event)), ...change }
          return platform.apps!.readRequest({ event, payload: JSON.stringify(payload) })
        }
        const sender = { id: expect.stringMatching(/^\d+$/), login: otherLogin }
        const id = await fixture.comment(number, otherLogin, '@umpire review')
        const comment = { id, isInline: false, threadId: null }
        const request = { kind: 'comment', number, sender, body: '@umpire review' }
        expect(await read('issue_comment')).toEqual({ ...request, comment })
        expect(await read('issue_comment', { action: 'edited' })).toBe('nothing')
        expect(await read('issue_comment', { action: 'deleted' })).toBe('nothing')
        const bot = { sender: { id: 1, login: 'robot[bot]', type: 'Bot' } }
        expect(await read('issue_comment', bot)).toBe('nothing')
        expect(await read('issue_comment', { issue: { number } })).toBe('nothing')
        await fixture.comment(number, otherLogin, 'long '.repeat(5_000))
        expect(await read('issue_comment')).toMatchObject({ body: 'long '.repeat(2_000) })

        const published = await platform.ensureReview(
          access,
          makeReview(number, sha, { comments: [makeComment('a', { endLine: 3 })] }),
        )
        const threadId = published.comments[0]!.id
        expect(await read('pull_request_review_comment')).toMatchObject({
          sender: { login },
          comment: { id: threadId, isInline: true, threadId: null },
        })
        const reply = await fixture.reply(number, threadId, otherLogin, 'Why?')
        expect(await read('pull_request_review_comment')).toEqual({
          ...request,
          body: 'Why?',
          comment: { id: reply, isInline: true, threadId },
        })
        await platform.addReaction(asApp, { ...comment, number }, 'eyes')
        const inThread = { id: reply, isInline: true, threadId, number }
        await platform.addReaction(asApp, inThread, 'eyes')
        expect(await fixture.reactions(number, id)).toMatchObject([{ content: 'eyes' }])
      })

      it('lists deliveries that failed, and asks for one again', async () => {
        const app = await createApp()
        install(app)
        const { payload, id } = await fixture.apps!.failedDelivery('installation')
        expect(payload).toContain('"created"')
        const since = new Date(Date.now() - 60_000)
        const list = () => platform.apps!.listFailedDeliveries(app, since)
        const [failed, ...others] = await list()
        expect(others).toEqual([])
        expect(failed).toMatchObject({ deliveryId: id, isRedelivery: false, status: 0 })
        expect(Math.abs(failed!.attemptedAt.getTime() - Date.now())).toBeLessThan(60_000)
        await platform.apps!.redeliver(app, failed!.attemptId)
        await fixture.apps!.failedDelivery('installation', { attempts: 2 })
        expect(await list()).toMatchObject([{ deliveryId: id, isRedelivery: true }, failed])
        const later = new Date(Date.now() + 60_000)
        expect(await platform.apps!.listFailedDeliveries(app, later)).toEqual([])
        const unknown = await catchError(platform.apps!.redeliver(app, '1'))
        expect(unknown.code).toBe('platform_not_found')
      })

      it('lists and reports its installations and their repositories', async () => {
        const app = await createApp()
        const id = install(app)
        const repository = { id: (await platform.getRepository(access)).id, repo: access.repo }
        expect(await platform.apps!.listInstallations(app)).toMatchObject([
          { id, isSuspended: false },
        ])
        expect(await platform.apps!.findInstallation(app, id)).toMatchObject({ id })
        expect(await platform.apps!.findInstallation(app, '999999')).toBe(undefined)
        expect(await platform.apps!.listInstallationRepositories(app, id)).toEqual([repository])
        const read = async (event: string) => {
          const payload = await fixture.apps!.delivered(event)
          return platform.apps!.readInstallationChange({ event, payload })
        }
        expect(await read('installation')).toMatchObject({
          kind: 'changed',
          installation: { id, isSuspended: false },
          senderId: expect.stringMatching(/^\d+$/),
          added: [repository],
          removed: [],
        })
        fixture.apps!.suspend(id)
        expect(await read('installation')).toMatchObject({
          kind: 'changed',
          installation: { id, isSuspended: true },
          added: [],
        })
        expect(await platform.apps!.listInstallations(app)).toMatchObject([{ isSuspended: true }])
        const input = { installationId: id, repositoryId: repository.id }
        const refused = await catchError(platform.apps!.createInstallationToken(app, input))
        expect(refused.code).toBe('platform_forbidden')
        const other = { event: 'pull_request', payload: '{}' }
        expect(platform.apps!.readInstallationChange(other)).toBe(null)
      })
    })

    describe('inspection', () => {
      it('returns the owner and scopes of a token, by the clock of the platform', async () => {
        const inspection = await platform.inspect(access.token)
        expect(inspection).toMatchObject({ viewer: { login: fixture.login }, missingScopes: [] })
        expect(inspection.scopes).not.toEqual([])
        expect(inspection.now).toBeInstanceOf(Date)
        expect(await platform.inspect(null)).toMatchObject({
          viewer: null,
          scopes: null,
          missingScopes: [],
        })
        expect((await catchError(platform.inspect('no-such-token'))).code).toBe(
          'platform_unauthorized',
        )
      })

      it('checks the credentials of the application', async () => {
        const { application } = fixture
        expect(await platform.acceptsOAuthApp(application)).toBe(true)
        const wrong = { ...application, clientSecret: 'another secret' }
        expect(await platform.acceptsOAuthApp(wrong)).toBe(false)
      })
    })

    describe('webhooks', () => {
      it('are created once by administrators for two kinds of events, and deleted', async () => {
        const input = { url: 'http://127.0.0.1:1/api/v1/webhooks/host', secret: 'a'.repeat(64) }
        const id = await platform.createWebhook(access, input)
        const made = (await fixture.webhooks()).find((hook) => hook.id === id)
        expect(made).toMatchObject({ url: input.url, active: true })
        expect([...made!.events].sort()).toEqual(fixture.traits.webhookEvents)
        expect(await platform.hasWebhook(access, { id, url: input.url })).toBe(true)
        expect(await platform.hasWebhook(access, { id, url: `${input.url}/elsewhere` })).toBe(false)
        const denied = await catchError(
          platform.createWebhook(fixture.otherAccess, { ...input, url: `${input.url}/2` }),
        )
        expect(denied.code).toMatch(/^platform_(not_found|forbidden)$/)
        await platform.deleteWebhook(access, id)
        expect((await fixture.webhooks()).map((hook) => hook.id)).not.toContain(id)
        expect(await platform.hasWebhook(access, { id, url: input.url })).toBe(false)
        await platform.deleteWebhook(access, id)
      })

      it('list failed deliveries for administrators, who ask for them again', async (context) => {
        if (platform.limits.redeliveries !== true) context.skip()
        const input = { url: 'http://127.0.0.1:1/api/v1/webhooks/host', secret: 'a'.repeat(64) }
        const webhookId = await platform.createWebhook(access, input)
        await openOwnCommit()
        const since = new Date(Date.now() - 60_000)
        const list = () => platform.listFailedDeliveries(access, { webhookId, since })
        const sent = fixture.traits.pingsWebhooks ? 2 : 1
        await expect.poll(list).toMatchObject(Array(sent).fill({ status: 0 }))
        const [{ attemptId, deliveryId }] = (await list()) as [FailedDelivery]
        await platform.redeliver(access, { webhookId, attemptId })
        await expect
          .poll(async () => (await list())[0])
          .toMatchObject({
            deliveryId,
            isRedelivery: true,
          })
        for (const call of [
          platform.listFailedDeliveries(fixture.otherAccess, { webhookId, since }),
          platform.redeliver(fixture.otherAccess, { webhookId, attemptId }),
        ]) {
          expect((await catchError(call)).code).toMatch(/^platform_(not_found|forbidden)$/)
        }
        await platform.deleteWebhook(access, webhookId)
      })

      it('replace one that delivers to the same address, and no other', async () => {
        const url = 'http://127.0.0.1:1/api/v1/webhooks/host'
        const secret = 'b'.repeat(64)
        const near = await platform.createWebhook(access, { url: `${url}/near`, secret })
        const first = await platform.createWebhook(access, { url, secret })
        const second = await platform.createWebhook(access, { url, secret: 'c'.repeat(64) })
        const ids = (await fixture.webhooks()).map((hook) => hook.id)
        expect(ids).toEqual(expect.arrayContaining([near, second]))
        expect(ids).not.toContain(first)
        for (const id of [near, second]) await platform.deleteWebhook(access, id)
      })

      it('get another secret, and stay the only one at their address', async () => {
        const url = 'http://127.0.0.1:1/api/v1/webhooks/host'
        const first = await platform.createWebhook(access, { url, secret: 'b'.repeat(64) })
        const input = { id: first, secret: 'c'.repeat(64) }
        const id = await platform.setWebhookSecret(access, input)
        expect(await platform.hasWebhook(access, { id, url })).toBe(true)
        expect((await fixture.webhooks()).filter((hook) => hook.url === url)).toHaveLength(1)
        await platform.deleteWebhook(access, id)
        const gone = await catchError(platform.setWebhookSecret(access, { ...input, id }))
        expect(gone.code).toBe('platform_not_found')
      })

      it('send what readEnvelope reads, signed over the raw body', async () => {
        const { number, sha, head } = await openChange()
        const { headers, body, secret } = await fixture.delivery('opened', number)
        const envelope = platform.readUnverifiedDelivery(headers, body)
        const delivery = envelope.parse()
        const listed = await platform.getPullRequest(access, number)
        expect(envelope.isAppLevel).toBe(false)
        expect(envelope.findRepository()).toBe(access.repo)
        expect(delivery).toMatchObject({
          event: 'pull_request',
          action: 'opened',
          repo: access.repo,
        })
        expect(delivery.pullRequest).toMatchObject({
          number,
          headSha: sha,
          branch: head,
          baseBranch: 'main',
          title: listed.title,
          author: fixture.otherLogin,
          url: listed.url,
          state: 'open',
          ...(fixture.traits.countsDeliveredLines
            ? { additions: 2, deletions: 3 }
            : { additions: 0, deletions: 0 }),
        })
        expect(delivery.deliveryId).not.toBeNull()
        expect(envelope.isSentWith(['another secret'])).toBe(false)
        expect(envelope.isSentWith(['another secret', secret])).toBe(true)
        const changed = Buffer.concat([body, Buffer.from(' ')])
        if (fixture.traits.signsDeliveries)
          expect(platform.readUnverifiedDelivery(headers, changed).isSentWith([secret])).toBe(false)
        expect(delivery.payload).toBe(body.toString())
        const next = await fixture.push(head, { 'src/new.ts': 'new\n' })
        const pushed = await fixture.delivery('synchronize', number)
        expect(platform.readUnverifiedDelivery(pushed.headers, pushed.body).parse()).toMatchObject({
          action: 'synchronize',
          pullRequest: { number, headSha: next },
        })
      })
    })

    describe('reading', () => {
      it('are listed in the order of their changes, of all states', async () => {
        const [first, second] = [await openOwnCommit(), await openOwnCommit()]
        const before = await platform.getPullRequest(access, first.number)
        await fixture.close(second.number)
        const listed = await platform.listPullRequests(access, new Date(before.createdAt))
        const own = listed.filter(({ number }) => [first.number, second.number].includes(number))
        expect(own.map(({ number, state, head }) => [number, state, head.sha])).toEqual(
          expect.arrayContaining([
            [first.number, 'open', first.sha],
            [second.number, 'closed', second.sha],
          ]),
        )
        const times = listed.map(({ updatedAt }) => updatedAt)
        expect(times).toEqual([...times].sort().reverse())
        const later = new Date(Date.now() + 60_000)
        expect(await platform.listPullRequests(access, later)).toEqual([])
      })

      it('lists what people commented since a time, in conversations and threads', async () => {
        const { number, sha } = await openChange()
        const thread = [makeComment('thread', { endLine: 3 })]
        await platform.ensureReview(access, makeReview(number, sha, { comments: thread }))
        const { createdAt } = await platform.getPullRequest(access, number)
        const [own] = (await fixture.readPosted(number)).inline
        const said = await fixture.comment(number, fixture.otherLogin, 'Why?')
        const replied = await fixture.reply(number, own!.id, fixture.otherLogin, 'Because')
        const { comments } = await platform.listComments(access, new Date(createdAt))
        const ofOther = comments.filter(({ sender }) => sender.login === fixture.otherLogin)
        expect(ofOther.filter((one) => one.number === number)).toMatchObject([
          { comment: { id: said, isInline: false, threadId: null }, body: 'Why?' },
          { comment: { id: replied, isInline: true, threadId: own!.id }, body: 'Because' },
        ])
        const later = new Date(Date.now() + 60_000)
        expect(await platform.listComments(access, later)).toEqual({
          comments: [],
          isComplete: true,
        })
      })

      it('keeps the base of a merged pull request, so that its diff stays', async () => {
        const { number, sha } = await openChange({ 'docs/kept.md': 'kept\n' })
        const open = await platform.getPullRequest(access, number)
        const base = await platform.getMergeBase(access, open.base.sha, sha)
        await fixture.merge(number)
        const merged = await platform.getPullRequest(access, number)
        expect(await platform.getMergeBase(access, merged.base.sha, sha)).toBe(base)
      })

      it('returns a pull request in each state of its life', async () => {
        const head = `topic-${++branches}`
        const sha = await fixture.push(head, changeLines({ 3: 'changed' }))
        const title = 'Ünïcode "quotes" 😀'
        const number = await fixture.open({ head, title, body: 'Why\n\n<!-- x -->', draft: true })
        const open = await platform.getPullRequest(access, number)
        expect(open).toMatchObject({
          repo: access.repo,
          number,
          title: fixture.traits.draftTitle(title),
          body: 'Why\n\n<!-- x -->',
          author: fixture.otherLogin,
          state: 'open',
          draft: true,
          head: { branch: head, sha, repo: access.repo },
          base: { branch: 'main' },
          additions: 1,
          deletions: 1,
          changedFiles: 1,
          mergedAt: null,
        })
        expect(Date.parse(open.createdAt)).toBeLessThanOrEqual(Date.parse(open.updatedAt))
        await fixture.close(number)
        expect(await platform.getPullRequest(access, number)).toMatchObject({
          state: 'closed',
          mergedAt: null,
        })
        const other = await openChange({ 'docs/merged.md': 'merged\n' })
        await fixture.merge(other.number)
        const merged = await platform.getPullRequest(access, other.number)
        expect(merged.state).toBe('merged')
        expect(merged.mergedAt).not.toBeNull()
        expect((await catchError(platform.getPullRequest(access, 99_999))).code).toBe(
          'platform_not_found',
        )
        const hidden = await catchError(
          platform.getPullRequest({ ...access, repo: 'nobody/nothing' }, 1),
        )
        expect(hidden.code).toBe('platform_not_found')
      })

      it('returns the change since the merge base', async () => {
        const { number, sha } = await openChange({
          ...changeLines({ 3: 'changed' }),
          'src/old name.ts': null,
          'src/new näme.ts': 'one\ntwo\nthree\nfour\nfive\n',
          'README.md': null,
          'added.txt': 'a\nb\n',
        })
        await fixture.push('main', { 'elsewhere.txt': `${number}\n` })
        const diff = await platform.getDiff(access, number)
        expect(diff).toMatch(/^diff --git a\/README\.md b\/README\.md$/m)
        expect(diff).toMatch(/^\+changed$/m)
        expect(diff).not.toContain('elsewhere')
        const files = await platform.listFiles(access, number)
        expect(files.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
          {
            path: 'README.md',
            oldPath: 'README.md',
            status: 'deleted',
            additions: 0,
            deletions: 1,
          },
          { path: 'added.txt', oldPath: 'added.txt', status: 'added', additions: 2, deletions: 0 },
          {
            path: 'src/count.ts',
            oldPath: 'src/count.ts',
            status: 'modified',
            additions: 1,
            deletions: 1,
          },
          {
            path: 'src/new näme.ts',
            oldPath: 'src/old name.ts',
            status: 'renamed',
            additions: 0,
            deletions: 0,
          },
        ])
        const { base } = await platform.getPullRequest(access, number)
        const parted = await platform.getMergeBase(access, 'main', sha)
        expect(parted).toMatch(/^[0-9a-f]{40}$/)
        expect(await platform.getMergeBase(access, base.sha, sha)).toBe(parted)
        expect(await platform.getMergeBase(access, parted, sha)).toBe(parted)
      })

      it('case 56: lists files over all pages', async () => {
        const files = Object.fromEntries(
          Array.from({ length: 230 }, (_, index) => [`many/${index}.txt`, `${index}\n`]),
        )
        const { number } = await openChange(files)
        const listed = await platform.listFiles(access, number)
        expect(new Set(listed.map(({ path }) => path))).toEqual(new Set(Object.keys(files)))
        expect(listed).toHaveLength(230)
      })

      it('lists the commits of a pull request, oldest first', async () => {
        const head = `topic-${++branches}`
        const shas: string[] = []
        for (const text of ['one', 'two', 'three']) {
          shas.push(await fixture.push(head, { 'src/count.ts': text }, `Write ${text}\n\nFixes #1`))
        }
        const number = await fixture.open({ head })
        const commits = await platform.listPullRequestCommits(access, number)
        expect(commits.map(({ sha }) => sha)).toEqual(shas)
        expect(commits[0]).toMatchObject({
          message: 'Write one\n\nFixes #1',
          author: expect.stringMatching(/./),
        })
        expect(Date.parse(commits[0]!.committedAt)).toBeGreaterThan(0)
        expect((await catchError(platform.listPullRequestCommits(access, 99_999))).code).toBe(
          'platform_not_found',
        )
      })

      it('lists the commits that changed a file, newest first, up to a commit', async () => {
        const branch = `topic-${++branches}`
        const path = 'odd/a b#?%&+ü*.ts'
        const shas = [
          await fixture.push(branch, { [path]: '1' }, 'First'),
          await fixture.push(branch, { 'odd/other.ts': '1' }, 'Elsewhere'),
          await fixture.push(branch, { [path]: '2' }, 'Second'),
        ]
        await fixture.push(branch, { [path]: '3' }, 'Later')
        const list = (limit: number, ref = shas[2]!) =>
          platform.listFileCommits(access, { path, ref, limit })
        expect((await list(10)).map(({ message }) => message)).toEqual(['Second', 'First'])
        expect((await list(1)).map(({ sha }) => sha)).toEqual([shas[2]])
        expect((await list(1, branch)).map(({ message }) => message)).toEqual(['Later'])
        expect(
          await platform.listFileCommits(access, { path: 'missing.ts', ref: branch, limit: 5 }),
        ).toEqual([])
        expect((await catchError(list(1, 'no-such-branch'))).code).toBe('platform_not_found')
      })

      it('reads issues and pull requests of repositories that the token can see', async () => {
        const number = await fixture.openIssue({ title: 'Prices are off', body: 'By a cent.' })
        const issue = await platform.getIssue(access, number)
        expect(issue).toMatchObject({
          repo: access.repo,
          number,
          title: 'Prices are off',
          body: 'By a cent.',
        })
        expect(issue).toMatchObject({ state: 'open', url: expect.stringMatching(/^http/) })
        const change = await openChange()
        expect((await platform.getIssue(access, change.number)).title).not.toBe('')
        expect((await catchError(platform.getIssue(access, 99_999))).code).toBe(
          'platform_not_found',
        )
        const hidden = { ...access, repo: fixture.otherRepositories.hidden }
        expect((await catchError(platform.getIssue(hidden, 1))).code).toBe('platform_not_found')
      })

      it('checks who can see a repository', async () => {
        expect(await platform.isPublic(access)).toBe(false)
        expect(await platform.isPublic({ ...access, repo: fixture.otherRepositories.public })).toBe(
          true,
        )
        const hidden = await catchError(
          platform.isPublic({ ...access, repo: fixture.otherRepositories.hidden }),
        )
        expect(hidden.code).toBe('platform_not_found')
      })

      it('finds the issues in texts and branch names, those to be closed first', () => {
        const find = (texts: string[], branch = 'topic') =>
          platform
            .findIssues('acme/shop', { texts, branch })
            .map(({ repo, number }) => `${repo}#${number}`)
        const { url } = fixture
        expect(
          find(['See #3, #4 and other/repo#5.\nFixes: #7, closes #8', 'Resolves #3 in 2026-11-20']),
        ).toEqual(['acme/shop#7', 'acme/shop#8', 'acme/shop#3', 'acme/shop#4', 'other/repo#5'])
        const { hasGroups, pullPath } = fixture.traits
        const addresses = [
          `${url}/acme/shop/issues/12#issuecomment-1`,
          ...(pullPath === null ? [] : [`${url}/a/b/${pullPath}/3/files`]),
          'https://x.example/a/b/issues/9',
        ].join(' ')
        expect(find([addresses])).toEqual([
          ...['acme/shop#12', ...(pullPath === null ? [] : ['a/b#3'])],
        ])
        expect(
          find([`[#1](${url}/other/repo/issues/1) <a href="https://x.example/issues/2">#2</a>`]),
        ).toEqual(['other/repo#1'])
        const hidden =
          '<!-- Fixes #1 -->\n`#2`\n```\n#3\n```\nc#4 &#39; a/b/c#5 #6px ../x#7 <!-- #8'
        expect(find([hidden])).toEqual(hasGroups ? ['a:b/c#5'] : [])
        expect(find([], 'fix/123-rounding')).toEqual(['acme/shop#123'])
        expect(find([], 'alice/issue-12')).toEqual(['acme/shop#12'])
        expect(find([], '45_a')).toEqual(['acme/shop#45'])
        for (const branch of ['release/2026-11-20', 'v1.2', 'utf8-names', 'release-12']) {
          expect(find([], branch)).toEqual([])
        }
      })

      it('finds issues in hostile text without delay', () => {
        const hostile = [
          '<!--',
          '`',
          '[a](',
          '[',
          '<a href="',
          '#1 ',
          'https://',
          'a/',
          'fixes ',
          '```\n',
          'GH-',
          '~~~\n',
        ]
        for (const piece of hostile) {
          platform.findIssues('acme/shop', {
            texts: [piece.repeat(20_000 / piece.length)],
            branch: piece.repeat(50),
          })
        }
      }, 5_000)

      it('reads files as bytes, and returns nothing for a missing one', async () => {
        const large = Buffer.alloc(1_500_000, 'large ')
        const sha = await fixture.push('files/any', {
          'large.txt': large,
          'a b/#?%&+ü.txt': 'odd',
          'src/é"quote.ts': 'q',
        })
        const read = (path: string, ref = sha) => platform.getFile(access, path, ref)
        const text = async (path: string, ref = sha) =>
          Buffer.from((await read(path, ref))!).toString()
        expect(Buffer.from((await read('assets/logo.bin'))!)).toEqual(mainFiles['assets/logo.bin'])
        expect(Buffer.from((await read('large.txt'))!).equals(large)).toBe(true)
        expect(await text('a b/#?%&+ü.txt')).toBe('odd')
        expect(await text('src/é"quote.ts', 'files/any')).toBe('q')
        expect(await read('missing.txt')).toBeUndefined()
        expect(await read('src')).toBeUndefined()
        expect(await read('../README.md')).toBeUndefined()
        expect(await read('README.md', 'no-such-branch')).toBeUndefined()
      })

      it('returns an address of a file at a commit without Markdown syntax', async () => {
        const commit = 'c'.repeat(40)
        const plain = platform.fileUrl(access.repo, { commit, path: 'src/count.ts', line: 3 })
        expect(plain).toMatch(
          new RegExp(`^${RegExp.escape(fixture.url)}/.*${commit}/src/count\\.ts#.*3$`),
        )
        const path = 'a b/_c_*d*)[e](f)!<g>`h`"i"\\j#k?l%m'
        expect(platform.fileUrl(access.repo, { commit, path, line: null })).toMatch(/^[\w:/.%-]+$/)
        expect(platform.fileUrl(access.repo, { commit, path, line: null })).not.toContain('_c')
      })

      it('reads the tree', async () => {
        const sha = await fixture.push(`tree/${++branches}`, { 'deep/er/file.txt': '12345' })
        const { entries, truncated } = await platform.getTree(access, sha)
        expect(truncated).toBe(false)
        expect(entries).toContainEqual(
          expect.objectContaining({
            ...{ path: 'deep/er/file.txt', kind: 'file' },
            size: fixture.traits.listsSizes ? 5 : 0,
          }),
        )
        expect(entries).toContainEqual(
          expect.objectContaining({ path: 'deep/er', kind: 'directory' }),
        )
        expect(await platform.getTree(access, `tree/${branches}`)).toEqual({ entries, truncated })
        expect((await catchError(platform.getTree(access, 'no-such-branch'))).code).toBe(
          'platform_not_found',
        )
      })

      it('returns languages and contributors', async () => {
        const languages = await platform.getLanguages(access)
        expect(languages.TypeScript).toBeGreaterThan(0)
        const contributors = await platform.listContributors(access)
        if (platform.limits.contributorStatistics !== true) expect(contributors).toEqual([])
        else
          expect(contributors).toContainEqual(
            expect.objectContaining({ commits: expect.any(Number) }),
          )
      })

      it('can be cloned from its address only with its headers', async () => {
        const { url, headers } = platform.cloneRemote(access)
        expect(url).not.toContain(access.token)
        const settings = Object.entries(headers).map(([key, value]) => `${key}: ${value}`)
        const environment = {
          PATH: process.env.PATH,
          GIT_TERMINAL_PROMPT: '0',
          GIT_CONFIG_NOSYSTEM: '1',
          GIT_CONFIG_GLOBAL: '/dev/null',
        }
        const authorized = {
          ...environment,
          GIT_CONFIG_COUNT: '1',
          GIT_CONFIG_KEY_0: 'http.extraHeader',
          GIT_CONFIG_VALUE_0: settings[0],
        }
        const { stdout } = await run('git', ['ls-remote', url, 'refs/heads/main'], {
          env: authorized,
        })
        expect(stdout).toMatch(/^[0-9a-f]{40}\trefs\/heads\/main\n$/)
        await expect(run('git', ['ls-remote', url], { env: environment })).rejects.toThrow()
      })
    })

    describe('ensureReview', () => {
      it('posts a review, and writes nothing when it exists already', async () => {
        const { number, sha } = await openChange()
        const rangeStart = fixture.traits.commentsOnRanges ? 18 : null
        const comments = [
          makeComment('a', { endLine: 3 }),
          makeComment('b', { startLine: 18, endLine: 20 }),
          makeComment('c', { endLine: 21, side: 'LEFT' }),
        ]
        const review = makeReview(number, sha, { comments })
        const published = await platform.ensureReview(access, review)
        const standing = await fixture.readPosted(number)
        expect(standing.comments).toMatchObject([
          { id: published.summary.id, author: fixture.login, body: review.summary.body, edits: 0 },
        ])
        expect(standing.inline).toMatchObject([
          {
            path: 'src/count.ts',
            side: 'RIGHT',
            line: 3,
            startLine: null,
            body: comments[0]!.body,
            author: fixture.login,
          },
          { path: 'src/count.ts', side: 'RIGHT', line: 20, startLine: rangeStart },
          { path: 'src/count.ts', side: 'LEFT', line: 21, startLine: null },
        ])
        expect(standing.reviews.map(({ state }) => state)).toEqual(commented())
        expect(published.refusedMarkers).toEqual([])
        expect(published.comments.map(({ marker, id }) => [marker, id]).sort()).toEqual(
          standing.inline.map(({ id }, index) => [comments[index]!.marker, id]).sort(),
        )
        for (const { url } of [published.summary, ...published.comments])
          expect(url).toMatch(/^http/)

        const writes = fixture.countWrites()
        expect(await platform.ensureReview(access, review)).toEqual(published)
        expect(fixture.countWrites()).toBe(writes)
      })

      it('edits the summary in place and posts only new comments', async () => {
        const { number, sha, head } = await openChange()
        await platform.ensureReview(
          access,
          makeReview(number, sha, { comments: [makeComment('a', { endLine: 3 })] }),
        )
        const next = await fixture.push(head, { 'src/more.ts': 'more\n' })
        const body = `${summaryMarker}\n### Second look`
        const comments = [
          makeComment('a', { endLine: 3 }),
          makeComment('b', { path: 'src/more.ts', endLine: 1 }),
        ]
        const published = await platform.ensureReview(
          access,
          makeReview(number, next, {
            summary: { marker: summaryMarker, body, url: null },
            comments,
          }),
        )
        const standing = await fixture.readPosted(number)
        expect(standing.comments).toMatchObject([{ id: published.summary.id, body, edits: 1 }])
        expect(standing.inline.map(({ path }) => path)).toEqual(['src/count.ts', 'src/more.ts'])
        expect(published.comments).toHaveLength(2)
      })

      it('edits only the inline comments whose text changed', async () => {
        const { number, sha } = await openChange()
        const comments = [3, 20, 4].map((endLine) => makeComment(`line-${endLine}`, { endLine }))
        const first = await platform.ensureReview(access, makeReview(number, sha, { comments }))
        const reword = ({ marker }: InlineComment) => ({
          marker,
          body: `Fewer by now\n\n${marker}`,
        })
        const [one, two, three] = comments as [InlineComment, InlineComment, InlineComment]
        const standing = await fixture.readPosted(number)
        await fixture.reply(number, standing.inline[0]!.id, fixture.login, `I wrote: ${one.body}`)
        const absent = makeComment('absent', { endLine: 20 })
        const next = makeReview(number, sha, {
          comments: [{ ...one, ...reword(one) }, three],
          updateOnly: [reword(two), reword(absent)],
        })
        const published = await platform.ensureReview(access, next)
        expect(published.comments.map(({ url }) => url).sort()).toEqual(
          first.comments.map(({ url }) => url).sort(),
        )
        expect(
          (await fixture.readPosted(number)).inline.map(({ body, edits }) => [body, edits]),
        ).toEqual([
          [reword(one).body, 1],
          [reword(two).body, 1],
          [three.body, 0],
          [`I wrote: ${one.body}`, 0],
        ])
        const writes = fixture.countWrites()
        await platform.ensureReview(access, next)
        expect(fixture.countWrites()).toBe(writes)
      })

      it("leaves others' comments alone, and keeps the oldest of its own summaries", async () => {
        const { number, sha } = await openChange()
        await fixture.comment(number, fixture.otherLogin, `${summaryMarker} forged`)
        await fixture.comment(number, fixture.login, 'Written by hand')
        await fixture.comment(number, fixture.login, `${summaryMarker} first`)
        await fixture.comment(number, fixture.otherLogin, 'Between')
        await fixture.comment(number, fixture.login, `${summaryMarker} second`)
        const review = makeReview(number, sha)
        await platform.ensureReview(access, review)
        const { comments } = await fixture.readPosted(number)
        expect(comments.map(({ body }) => body)).toEqual([
          `${summaryMarker} forged`,
          'Written by hand',
          review.summary.body,
          'Between',
        ])
      })

      it('case 52: a refused line does not prevent the others from being posted', async ({
        skip,
      }) => {
        const [first, second] = fixture.traits.refusedPlaces ?? skip()
        const { number, sha } = await openChange()
        const comments = [
          makeComment('good-1', { endLine: 3 }),
          makeComment('bad-1', first),
          makeComment('good-2', { endLine: 20 }),
          makeComment('bad-2', second),
          makeComment('good-3', { endLine: 4 }),
        ]
        const review = makeReview(number, sha, { comments })
        const published = await platform.ensureReview(access, review)
        expect(published.refusedMarkers).toEqual([comments[1]!.marker, comments[3]!.marker])
        const good = [comments[0]!, comments[2]!, comments[4]!]
        expect(published.comments.map(({ marker }) => marker).sort()).toEqual(
          good.map(({ marker }) => marker).sort(),
        )
        const standing = await fixture.readPosted(number)
        expect(standing.inline.map(({ body }) => body).sort()).toEqual(
          good.map(({ body }) => body).sort(),
        )
        expect(standing.comments).toHaveLength(1)

        expect(await platform.ensureReview(access, review)).toEqual(published)
        expect((await fixture.readPosted(number)).inline).toHaveLength(3)
      })

      it('case 52: posts the summary even if all lines are refused', async (context) => {
        const [first, second] = fixture.traits.refusedPlaces ?? context.skip()
        const { number, sha } = await openChange()
        const comments = [makeComment('x', first), makeComment('y', second)]
        const published = await platform.ensureReview(access, makeReview(number, sha, { comments }))
        expect(published).toMatchObject({
          comments: [],
          refusedMarkers: comments.map(({ marker }) => marker),
        })
        expect(await fixture.readPosted(number)).toMatchObject({
          inline: [],
          reviews: [],
          comments: [{ author: fixture.login }],
        })
      })

      it.each(['summary', 'inline'] as const)(
        'case 53: finds a written %s whose answer was lost',
        async (kind) => {
          const { number, sha } = await openChange()
          const review = makeReview(number, sha, {
            comments: [makeComment('a', { endLine: 3 }), makeComment('b', { endLine: 20 })],
          })
          const wasLost = fixture.loseResponse(kind)
          const published = await platform.ensureReview(access, review)
          expect(wasLost()).toBe(true)
          expect(published.refusedMarkers).toEqual([])
          expect(published.comments).toHaveLength(2)
          const standing = await fixture.readPosted(number)
          expect(standing.comments).toMatchObject([{ id: published.summary.id }])
          expect(standing.inline).toHaveLength(2)
          expect(standing.reviews).toHaveLength(commented().length)
        },
      )

      it.each(['summary', 'inline'] as const)(
        'case 53: does not repeat a written %s whose answer was lost if lists show it late',
        async (kind) => {
          const { number, sha } = await openChange()
          const review = makeReview(number, sha, {
            comments: [makeComment('a', { endLine: 3 }), makeComment('b', { endLine: 20 })],
          })
          const wasLost = fixture.loseResponse(kind, { late: true })
          const published = await platform.ensureReview(access, review)
          expect(wasLost()).toBe(true)
          expect(published.comments).toHaveLength(2)
          const standing = await fixture.readPosted(number)
          expect(standing.comments).toMatchObject([{ id: published.summary.id }])
          expect(standing.inline).toHaveLength(2)
          expect(standing.reviews).toHaveLength(commented().length)
        },
      )

      it('case 53: edits a summary that lists do not show yet, if its URL is known', async () => {
        const { number, sha } = await openChange()
        const review = makeReview(number, sha)
        const showLists = fixture.holdLists()
        const { summary } = await platform.ensureReview(access, review)
        const body = `${summaryMarker}\n### Something to say`
        const next = { ...review, summary: { ...review.summary, body, url: summary.url } }
        expect((await platform.ensureReview(access, next)).summary).toEqual(summary)
        showLists()
        const standing = await fixture.readPosted(number)
        expect(standing.comments).toMatchObject([{ id: summary.id, body }])
      })

      it('posts the summary again after somebody deleted it', async () => {
        const { number, sha } = await openChange()
        const review = makeReview(number, sha)
        const { summary } = await platform.ensureReview(access, review)
        const other = await openChange()
        const url = summary.url.replace(/\d+$/, '999999999')
        const { summary: again } = await platform.ensureReview(access, {
          ...makeReview(other.number, other.sha),
          summary: { ...review.summary, url },
        })
        const standing = await fixture.readPosted(other.number)
        expect(standing.comments).toMatchObject([{ id: again.id, body: review.summary.body }])
      })

      it('leaves a comment alone that a person made of the summary', async () => {
        const { number, sha } = await openChange()
        const other = await openChange()
        const review = makeReview(number, sha)
        const { summary } = await platform.ensureReview(access, makeReview(other.number, other.sha))
        const id = await fixture.comment(number, fixture.login, 'Written by hand')
        const url = summary.url.replace(/\d+$/, id)
        await platform.ensureReview(access, { ...review, summary: { ...review.summary, url } })
        const standing = await fixture.readPosted(number)
        const bodies = standing.comments.map(({ body }) => body)
        expect(bodies).toEqual(['Written by hand', review.summary.body])
      })

      it('posts a summary where the platform refuses to edit that of another account', async () => {
        const { number, sha } = await openChange()
        const review = makeReview(number, sha)
        const showLists = fixture.holdLists()
        const { summary } = await platform.ensureReview(access, review)
        const allowEdits = fixture.refuseEdits()
        await platform.ensureReview(fixture.otherAccess, {
          ...review,
          summary: { ...review.summary, body: `${summaryMarker}\n### Mine`, url: summary.url },
        })
        allowEdits()
        showLists()
        const standing = await fixture.readPosted(number)
        const authors = standing.comments.map(({ author }) => author)
        expect(authors).toEqual([fixture.login, fixture.otherLogin])
      })

      it('case 53: removes duplicates, except comments with replies', async () => {
        const { number, sha } = await openChange()
        const comments = [3, 20, 4].map((endLine) => makeComment(`line-${endLine}`, { endLine }))
        const [one, two, three] = comments as [InlineComment, InlineComment, InlineComment]
        const review = makeReview(number, sha, { comments })
        const showLists = fixture.holdLists()
        await platform.ensureReview(access, review)
        await platform.ensureReview(access, review)
        showLists()
        const doubled = await fixture.readPosted(number)
        expect(doubled.comments).toHaveLength(2)
        expect(doubled.inline).toHaveLength(6)
        const answered = doubled.inline[4]!
        expect(answered.body).toBe(two.body)
        await fixture.reply(number, answered.id, fixture.otherLogin, 'Why?')

        const next = {
          ...review,
          comments: [one],
          updateOnly: [two],
          formerMarkers: [three.marker],
        }
        const published = await platform.ensureReview(access, next)
        const { inline, comments: summaries } = await fixture.readPosted(number)
        expect(summaries).toMatchObject([{ id: doubled.comments[0]!.id }])
        expect(inline.map(({ id }) => id)).toEqual([
          doubled.inline[0]!.id,
          doubled.inline[2]!.id,
          answered.id,
          expect.any(String),
        ])
        expect(published.comments).toContainEqual(
          expect.objectContaining({ marker: two.marker, id: answered.id }),
        )
        const writes = fixture.countWrites()
        await platform.ensureReview(access, next)
        expect(fixture.countWrites()).toBe(writes)
      })

      it('edits the comments of another account if their URLs were stored', async (context) => {
        if (!fixture.traits.writersEdit) context.skip()
        const { number, sha } = await openChange()
        const before = makeComment('taken over', { endLine: 3 })
        const review = makeReview(number, sha, { comments: [before] })
        const { summary, comments } = await platform.ensureReview(access, review)
        const after = makeReview(number, sha, {
          summary: { ...review.summary, body: `${summaryMarker}\n### Something to say` },
          comments: [{ ...before, body: `Another claim\n\n${before.marker}` }],
        })
        const { otherAccess, login } = fixture
        const known = [summary.url, ...comments.map(({ url }) => url)]
        const published = await platform.ensureReview(otherAccess, { ...after, postedUrls: known })
        expect(published.summary).toEqual(summary)
        expect(await fixture.readPosted(number)).toMatchObject({
          comments: [{ author: login, body: after.summary.body }],
          inline: [{ author: login, body: after.comments[0]!.body }],
        })
        // Without the URLs only the marker is left, which anyone can write.
        await platform.ensureReview(otherAccess, after)
        const doubled = await fixture.readPosted(number)
        const authors = [login, fixture.otherLogin]
        expect(doubled.comments.map(({ author }) => author)).toEqual(authors)
        expect(doubled.inline.map(({ author }) => author)).toEqual(authors)
      })

      it('posts them once where the platform refuses that, and deletes none of them', async () => {
        const { number, sha } = await openChange()
        const before = makeComment('refused', { endLine: 3 })
        const review = makeReview(number, sha, { comments: [before] })
        const { summary, comments } = await platform.ensureReview(access, review)
        const postedUrls = [summary.url, ...comments.map(({ url }) => url)]
        const after = makeReview(number, sha, {
          summary: { ...review.summary, body: `${summaryMarker}\n### Something to say` },
          comments: [{ ...before, body: `Another claim\n\n${before.marker}` }],
          postedUrls,
        })
        const allowEdits = fixture.refuseEdits()
        const published = await platform.ensureReview(fixture.otherAccess, after)
        allowEdits()
        const { login, otherLogin } = fixture
        expect(await fixture.readPosted(number)).toMatchObject({
          comments: [
            { author: login, body: review.summary.body },
            { author: otherLogin, body: after.summary.body },
          ],
          inline: [
            { author: login, body: before.body },
            { author: otherLogin, body: after.comments[0]!.body },
          ],
        })
        // What is stored from now on names the new comments.
        const next = [published.summary.url, ...published.comments.map(({ url }) => url)]
        const writes = fixture.countWrites()
        await platform.ensureReview(fixture.otherAccess, { ...after, postedUrls: next })
        expect(fixture.countWrites()).toBe(writes)
      })

      it('case 40: posts comments on files of any name', async () => {
        const paths = ['a b/ü 😀.ts', 'quote"s\'and\\back.ts', 'new\nline.ts', '-- x', '#?%2e&+.ts']
        const { number, sha } = await openChange(
          Object.fromEntries(paths.map((path) => [path, 'one\n'])),
        )
        expect((await platform.listFiles(access, number)).map(({ path }) => path).sort()).toEqual(
          paths.toSorted(),
        )
        const comments = paths.map((path, index) => makeComment(`n${index}`, { path }))
        const published = await platform.ensureReview(access, makeReview(number, sha, { comments }))
        expect(published.refusedMarkers).toEqual([])
        expect((await fixture.readPosted(number)).inline.map(({ path }) => path)).toEqual(paths)
      })

      it('stops writing once writing is no longer allowed', async () => {
        const { number, sha } = await openChange()
        let allowed = 1
        const beforeWrite = async () => {
          if (allowed-- === 0) throw new LeaseLostError()
        }
        const review = makeReview(number, sha, {
          comments: [makeComment('a', { endLine: 3 })],
          beforeWrite,
        })
        expect(await catchError(platform.ensureReview(access, review))).toBeInstanceOf(
          LeaseLostError,
        )
        expect(await fixture.readPosted(number)).toMatchObject({
          comments: [{ author: fixture.login }],
          inline: [],
          reviews: [],
        })
      })

      it('requests changes and approves, each once per head', async () => {
        const { number, sha } = await openChange()
        const comments = [makeComment('a', { endLine: 3 })]
        const refusing = makeReview(number, sha, { comments, decision: 'request_changes' })
        await platform.ensureReview(access, refusing)
        await platform.ensureReview(access, refusing)
        expect((await fixture.readPosted(number)).reviews.map(({ state }) => state)).toEqual([
          'changes_requested',
        ])
        const approving = makeReview(number, sha, { comments, decision: 'approve' })
        await platform.ensureReview(access, approving)
        await platform.ensureReview(access, approving)
        const { reviews, inline } = await fixture.readPosted(number)
        expect(reviews.map(({ state }) => state)).toEqual([former('changes_requested'), 'approved'])
        expect(inline).toHaveLength(1)
      })

      it('case 52: a refused line does not lose the verdict of the review', async (context) => {
        const [place] = fixture.traits.refusedPlaces ?? context.skip()
        const { number, sha } = await openChange()
        const comments = [makeComment('bad', place), makeComment('good', { endLine: 3 })]
        const review = makeReview(number, sha, { comments, decision: 'request_changes' })
        expect((await platform.ensureReview(access, review)).refusedMarkers).toEqual([
          comments[0]!.marker,
        ])
        const { reviews, inline } = await fixture.readPosted(number)
        expect(reviews.map(({ state }) => state)).toEqual([...commented(), 'changes_requested'])
        expect(inline).toHaveLength(1)
      })

      it("comments on its own pull request, which it can't approve", async () => {
        const head = `topic-${++branches}`
        const sha = await fixture.push(head, changeLines({ 3: 'changed' }))
        const number = await fixture.open({ head, author: fixture.login })
        const review = makeReview(number, sha, {
          comments: [makeComment('a', { endLine: 3 })],
          decision: 'approve',
        })
        expect((await platform.ensureReview(access, review)).comments).toHaveLength(1)
        expect(await statesOf(number)).toEqual(commented())
      })

      it('approves every head, and requests changes once for all of them', async () => {
        const { number, sha, head } = await openChange()
        const refusing = makeReview(number, sha, { decision: 'request_changes' })
        expect(await platform.ensureReview(access, refusing)).toMatchObject({
          decision: 'request_changes',
        })
        const next = await fixture.push(head, { 'src/more.ts': 'more\n' })
        const again = makeReview(number, next, { decision: 'request_changes' })
        expect((await platform.ensureReview(access, again)).decision).toBe('request_changes')
        expect(await statesOf(number)).toEqual(['changes_requested'])
        const approving = makeReview(number, next, { decision: 'approve' })
        expect((await platform.ensureReview(access, approving)).decision).toBe('approve')
        const last = await fixture.push(head, { 'src/more.ts': 'still more\n' })
        await platform.ensureReview(access, makeReview(number, last, { decision: 'approve' }))
        expect(await statesOf(number)).toEqual([
          ...[former('changes_requested'), former('approved'), 'approved'],
        ])
      })

      it('makes no decision that a person dismissed on the same head', async () => {
        const { number, sha, head } = await openChange()
        const refusing = makeReview(number, sha, { decision: 'request_changes' })
        await platform.ensureReview(access, refusing)
        const [posted] = (await fixture.readPosted(number)).reviews
        await fixture.dismiss(number, posted!.id, fixture.otherLogin)
        expect((await platform.ensureReview(access, refusing)).decision).toBeNull()
        expect(await statesOf(number)).toEqual(['dismissed'])
        const next = await fixture.push(head, { 'src/more.ts': 'more\n' })
        await platform.ensureReview(
          access,
          makeReview(number, next, { decision: 'request_changes' }),
        )
        expect(await statesOf(number)).toEqual(['dismissed', 'changes_requested'])
      })

      it('makes no decision where the person whose token it is made one', async () => {
        const { number, sha } = await openChange()
        await fixture.decide(number, fixture.login, 'changes_requested')
        const approving = makeReview(number, sha, { decision: 'approve' })
        expect((await platform.ensureReview(access, approving)).decision).toBeNull()
        expect(await withdraw(number)).toBeNull()
        expect(await statesOf(number)).toEqual(['changes_requested'])
      })

      it('case 52: a decision whose response is lost is made once', async () => {
        const { number, sha } = await openChange()
        const wasLost = fixture.loseResponse('inline', { late: true })
        const approving = makeReview(number, sha, { decision: 'approve' })
        expect((await platform.ensureReview(access, approving)).decision).toBe('approve')
        expect(wasLost()).toBe(true)
        expect(await statesOf(number)).toEqual(['approved'])
      })

      it('reports an unknown commit', async () => {
        const { number } = await openChange()
        const review = makeReview(number, 'f'.repeat(40), {
          comments: [makeComment('a', { endLine: 3 })],
        })
        expect((await catchError(platform.ensureReview(access, review))).code).toBe(
          'platform_refused',
        )
      })
    })

    /** The states of the reviews that comments on lines are posted with. */
    const commented = () => (fixture.traits.postsReviews ? ['commented'] : [])

    /** The state that a verdict is in after another one of its account. */
    const former = (state: PostedState['reviews'][number]['state']) =>
      fixture.traits.replacesVerdicts ? 'dismissed' : state

    const statesOf = async (number: number) =>
      (await fixture.readPosted(number)).reviews.map(({ state }) => state)

    const withdraw = (number: number, rest: Partial<DecisionsToWithdraw> = {}) =>
      platform.withdrawDecisions(access, {
        number,
        decisions: ['approve', 'request_changes'],
        reason: 'It was pushed to.',
        beforeWrite: async () => {},
        ...rest,
      })

    describe('withdrawDecisions', () => {
      it('withdraws each decision once, which can be made again', async () => {
        const { number, sha } = await openChange()
        expect(await withdraw(number)).toBeNull()
        for (const decision of ['approve', 'request_changes'] as const) {
          const review = makeReview(number, sha, { decision })
          await platform.ensureReview(access, review)
          expect(await withdraw(number)).toBeNull()
          const writes = fixture.countWrites()
          expect(await withdraw(number)).toBeNull()
          expect(fixture.countWrites()).toBe(writes)
          expect((await platform.ensureReview(access, review)).decision).toBe(decision)
          expect((await statesOf(number)).at(-1)).toBe(
            decision === 'approve' ? 'approved' : 'changes_requested',
          )
        }
        expect(await withdraw(number)).toBeNull()
        expect(await statesOf(number)).toEqual(Array(4).fill('dismissed'))
      })

      it('withdraws those of all heads, but leaves other kinds and reviews of others', async () => {
        const { number, sha, head } = await openChange()
        const decide = (headSha: string, decision: Decision) =>
          platform.ensureReview(access, makeReview(number, headSha, { decision }))
        await fixture.decide(number, fixture.otherLogin, 'approved')
        await decide(sha, 'approve')
        const next = await fixture.push(head, { 'src/more.ts': 'more\n' })
        await decide(next, 'approve')
        const others = (await statesOf(number)).slice(0, -2)
        expect(await withdraw(number)).toBeNull()
        expect(await statesOf(number)).toEqual([...others, 'dismissed', 'dismissed'])
        await decide(next, 'request_changes')
        expect(await withdraw(number, { decisions: ['approve'] })).toBe('request_changes')
        expect(await statesOf(number)).toEqual([
          ...others,
          ...['dismissed', 'dismissed', 'changes_requested'],
        ])
      })

      it('withdraws those of the account that reviewed before', async (context) => {
        if (!fixture.traits.writersDismiss) context.skip()
        const head = `topic-${++branches}`
        const sha = await fixture.push(head, changeLines({ 3: 'changed' }))
        const number = await fixture.open({ head, author: fixture.otherLogin })
        await platform.ensureReview(access, makeReview(number, sha, { decision: 'approve' }))
        const withdrawal = {
          ...{ number, decisions: ['approve'] as const },
          ...{ reason: 'It was pushed to.', beforeWrite: async () => {} },
        }
        expect(await platform.withdrawDecisions(fixture.otherAccess, withdrawal)).toBeNull()
        expect(await statesOf(number)).toEqual(['dismissed'])
      })

      it('finds out what happened when the response is lost', async () => {
        const { number, sha } = await openChange()
        await platform.ensureReview(access, makeReview(number, sha, { decision: 'approve' }))
        const wasLost = fixture.loseResponse('dismissal')
        await withdraw(number).catch(() => {})
        expect(wasLost()).toBe(true)
        expect(await withdraw(number)).toBeNull()
        expect(await statesOf(number)).toEqual(['dismissed'])
      })

      it('stops before the first write when writing is no longer allowed', async () => {
        const { number, sha } = await openChange()
        await platform.ensureReview(access, makeReview(number, sha, { decision: 'approve' }))
        const beforeWrite = async () => {
          throw new LeaseLostError()
        }
        expect(await catchError(withdraw(number, { beforeWrite }))).toBeInstanceOf(LeaseLostError)
        expect(await statesOf(number)).toEqual(['approved'])
      })

      it('replaces an approval that it may not dismiss by a request', async (context) => {
        if (!fixture.traits.restrictsDismissals) context.skip()
        const head = `topic-${++branches}`
        const sha = await fixture.push(head, changeLines({ 3: 'changed' }))
        const number = await fixture.open({ head, author: fixture.login })
        const { otherAccess } = fixture
        const approving = makeReview(number, sha, { decision: 'approve' })
        await platform.ensureReview(otherAccess, approving)
        const allow = fixture.restrictDismissals()
        const withdrawal = {
          ...{ number, decisions: ['approve', 'request_changes'] as const },
          ...{ reason: 'It was pushed to.', beforeWrite: async () => {} },
        }
        for (let times = 0; times < 2; times++) {
          expect(await platform.withdrawDecisions(otherAccess, withdrawal)).toBe('request_changes')
          expect(await statesOf(number)).toEqual([former('approved'), 'changes_requested'])
        }
        allow()
        if (!fixture.traits.writersDismiss) return
        expect(await platform.withdrawDecisions(otherAccess, withdrawal)).toBeNull()
        expect(await statesOf(number)).toEqual(['dismissed', 'dismissed'])
      })
    })

    it("shows a check as a status with a person's token, and the newest one wins", async () => {
      const { sha } = await openOwnCommit()
      const requested = { end: 'changes_requested', blocks: true } as const
      await platform.ensureCheck(access, makeCheck(sha, { state: 'pending' }))
      const check = makeCheck(sha, { state: requested, title: `1 critical ${'x'.repeat(200)}` })
      await platform.ensureCheck(access, check)
      await platform.ensureCheck(access, check)
      expect(await fixture.statuses(sha)).toEqual([
        {
          context: 'umpire/review',
          state: 'failure',
          description: `1 critical ${'x'.repeat(129)}`,
          url: 'https://umpire.example/1',
        },
      ])
    })

    it('stops before it writes a check when the lease was lost', async () => {
      const { sha } = await openOwnCommit()
      const beforeWrite = async () => {
        throw new LeaseLostError()
      }
      const lost = platform.ensureCheck(access, makeCheck(sha, { beforeWrite }))
      await expect(lost).rejects.toBeInstanceOf(LeaseLostError)
      expect(await fixture.statuses(sha)).toEqual([])
    })

    it('checks who can write to the repository; outsiders cannot', async () => {
      const { login, otherLogin, otherRepositories: elsewhere, otherAccess: other } = fixture
      expect(await platform.getPermission(access, login)).toBe('admin')
      expect(await platform.getPermission(access, otherLogin)).toBe('write')
      expect(await platform.getPermission(access, otherLogin.toUpperCase())).toBe('write')
      const open = { ...access, repo: elsewhere.administered }
      expect(await platform.getPermission(open, otherLogin)).toBe('read')
      expect(await platform.getPermission(access, 'nobody-of-that-name')).toBe('none')
      expect(await platform.getPermission(access, '../../../user')).toBe('none')
      if (!fixture.traits.hidesPermissions) return
      const denied = platform.getPermission({ ...other, repo: elsewhere.administered }, login)
      expect((await catchError(denied)).code).toBe('platform_forbidden')
    })

    describe('answers to comments', () => {
      const answerTo = (number: number, to: CommentRef, rest: Partial<Reply> = {}): Reply => ({
        number,
        to,
        marker: `<!-- umpire:answer ${to.id} -->`,
        body: `<!-- umpire:answer ${to.id} -->\nBecause.`,
        beforeWrite: async () => {},
        ...rest,
      })

      it('are posted once in the conversation, with reactions', async () => {
        const { number } = await openChange()
        const id = await fixture.comment(number, fixture.otherLogin, 'Why?')
        const to = { id, isInline: false, threadId: null }
        const reply = answerTo(number, to)
        // Everybody can copy a marker.
        await fixture.comment(number, fixture.otherLogin, reply.body)
        await platform.addReaction(access, { ...to, number }, 'eyes')
        await platform.addReaction(access, { ...to, number }, 'eyes')
        await platform.ensureReply(access, reply)
        await platform.ensureReply(access, { ...reply, body: `${reply.marker}\nOr because.` })
        await platform.addReaction(access, { ...to, number }, '+1')
        const { login, otherLogin } = fixture
        expect((await fixture.readPosted(number)).comments).toMatchObject([
          { author: otherLogin, body: 'Why?' },
          { author: otherLogin },
          { author: login, body: reply.body, edits: 0 },
        ])
        expect(await fixture.reactions(number, id)).toEqual([
          { content: 'eyes', author: login },
          { content: '+1', author: login },
        ])
      })

      it('are posted once in the thread of a comment', async () => {
        const { number, sha } = await openChange()
        const comments = [makeComment('a', { endLine: 3 }), makeComment('b', { endLine: 20 })]
        const published = await platform.ensureReview(access, makeReview(number, sha, { comments }))
        const threadId = published.comments[0]!.id
        const id = await fixture.reply(number, threadId, fixture.otherLogin, 'Why?')
        const to = { id, isInline: true, threadId }
        await platform.addReaction(access, { ...to, number }, 'confused')
        await platform.ensureReply(access, answerTo(number, to))
        await platform.ensureReply(access, answerTo(number, to))
        expect(await fixture.reactions(number, id)).toMatchObject([{ content: 'confused' }])
        const opening = { id: threadId, isInline: true, threadId: null }
        await platform.ensureReply(access, answerTo(number, opening))
        const threads = await platform.listThreads(access, number, [])
        expect(threads.map((thread) => thread.comments.map(({ own }) => own))).toEqual([
          [true, false, true, true],
          [true],
        ])
      })

      it('case 52: are posted once, although the response is lost', async () => {
        const { number } = await openChange()
        const id = await fixture.comment(number, fixture.otherLogin, 'Why?')
        const reply = answerTo(number, { id, isInline: false, threadId: null })
        const wasLost = fixture.loseResponse('summary')
        await platform.ensureReply(access, reply)
        expect(wasLost()).toBe(true)
        expect((await fixture.readPosted(number)).comments).toHaveLength(2)
      })

      it('are not posted when writing must stop, or when the thread is gone', async () => {
        const { number, sha } = await openChange()
        const beforeWrite = async () => {
          throw new LeaseLostError()
        }
        const comments = [makeComment('a', { endLine: 3 })]
        const published = await platform.ensureReview(access, makeReview(number, sha, { comments }))
        const opening = { id: published.comments[0]!.id, isInline: true, threadId: null }
        const lost = platform.ensureReply(access, answerTo(number, opening, { beforeWrite }))
        await expect(lost).rejects.toBeInstanceOf(LeaseLostError)
        // The first comment of a new server is one of this suite.
        const to = { id: '999999999', isInline: true, threadId: null }
        const gone = await catchError(platform.ensureReply(access, answerTo(number, to)))
        expect(gone.code).toBe('platform_not_found')
        const reaction = await catchError(platform.addReaction(access, { ...to, number }, 'eyes'))
        expect(reaction.code).toBe('platform_not_found')
        expect((await fixture.readPosted(number)).inline).toHaveLength(1)
      })
    })

    describe('threads', () => {
      it('are listed with their replies', async () => {
        const { number, sha, head } = await openChange()
        const comments = [makeComment('a', { endLine: 3 }), makeComment('b', { endLine: 20 })]
        const published = await platform.ensureReview(access, makeReview(number, sha, { comments }))
        const [first] = (await fixture.readPosted(number)).inline
        await fixture.reply(number, first!.id, fixture.otherLogin, 'Not so')
        const threads = await platform.listThreads(access, number, [])
        expect(threads).toMatchObject([
          {
            resolved: false,
            resolvedBy: null,
            path: 'src/count.ts',
            line: 3,
            comments: [
              {
                id: first!.id,
                author: fixture.login,
                own: true,
                bot: false,
                body: comments[0]!.body,
              },
              { author: fixture.otherLogin, own: false, body: 'Not so' },
            ],
          },
          { resolved: false, line: 20, comments: [{ own: true }] },
        ])
        const { otherAccess } = fixture
        const posted = await platform.listThreads(otherAccess, number, [published.comments[0]!.url])
        expect(posted.map((thread) => thread.comments.map(({ own }) => own))).toEqual([
          [true, true],
          [false],
        ])
        await fixture.push(head, changeLines({}))
        await fixture.push(head, { 'src/other.ts': 'other\n' })
        expect((await platform.listThreads(access, number, [])).map(({ line }) => line)).toEqual(
          fixture.traits.followsLines ? [null, null] : [3, 20],
        )
      })

      it('can be resolved repeatedly', async (context) => {
        if (platform.limits.resolvableThreads !== true) context.skip()
        const { number, sha } = await openChange()
        const comments = [makeComment('a', { endLine: 3 }), makeComment('b', { endLine: 20 })]
        await platform.ensureReview(access, makeReview(number, sha, { comments }))
        const threads = await platform.listThreads(access, number, [])
        await platform.resolveThread(access, number, threads[0]!.id)
        await platform.resolveThread(access, number, threads[0]!.id)
        expect(await platform.listThreads(access, number, [])).toMatchObject([
          { resolved: true, resolvedBy: fixture.login },
          { resolved: false, resolvedBy: null },
        ])
        expect(
          (await catchError(platform.resolveThread(access, number, 'no-such-thread'))).code,
        ).toBe('platform_not_found')
      })

      it('are listed over all pages', async () => {
        const { number, sha } = await openChange({ 'long.txt': 'line\n'.repeat(120) })
        const comments = Array.from({ length: 120 }, (_, index) =>
          makeComment(`t${index}-`, { path: 'long.txt', endLine: index + 1 }),
        )
        expect(
          (await platform.ensureReview(access, makeReview(number, sha, { comments }))).comments,
        ).toHaveLength(120)
        const threads = await platform.listThreads(access, number, [])
        expect(threads.map(({ line }) => line)).toEqual(comments.map(({ place }) => place.end.new))
      })
    })

    describeTools(() => fixture, openOwnCommit)

    // These tests change the fixture permanently.
    it('case 56: recognizes a diff that is refused as too large', async (context) => {
      if (!fixture.traits.refusesDiffs) context.skip()
      const { number } = await openChange()
      fixture.refuseDiffs()
      const error = await catchError(platform.getDiff(access, number))
      expect(error).toMatchObject({ code: 'platform_too_large', retryable: false })
    })

    it('case 51: reads and writes a renamed repository under its old name', async () => {
      const { number, sha } = await openChange()
      const { id } = await platform.getRepository(access)
      await fixture.rename(`${access.repo}-renamed`)
      expect(await platform.getRepository(access)).toMatchObject({
        id,
        repo: `${access.repo}-renamed`,
      })
      expect((await platform.getPullRequest(access, number)).head.sha).toBe(sha)
      const comments = [makeComment('a', { endLine: 3 })]
      expect(
        (await platform.ensureReview(access, makeReview(number, sha, { comments }))).comments,
      ).toHaveLength(1)
    })
  })
}
