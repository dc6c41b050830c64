// The tests of what a platform has of other tools: logs in code scanning, and artifacts of CI.
import { describe, expect, it } from 'vitest'
import { PlatformError } from '../../src/domain/errors.ts'
import type { PlatformFixture, ToolFixture } from './platform-contract.ts'

/** Adds the tests of code scanning and artifacts to the suite. */
export function describeTools(
  getFixture: () => PlatformFixture,
  openChange: () => Promise<{ number: number; sha: string; head: string }>,
): void {
  const setUp = () => {
    const { access, platform, tools } = getFixture()
    return { access, platform, tools: tools as ToolFixture }
  }

  describe('what other tools found', () => {
    it('is listed as none, and not downloaded, where the platform has none', async (context) => {
      const { access, platform } = getFixture()
      const { artifacts, codeScanning } = platform.limits
      if (codeScanning === true || artifacts === true) return context.skip()
      const number = 1
      const headSha = 'a'.repeat(40)
      expect(await platform.listAnalyses(access, { number, headSha })).toEqual([])
      expect(await platform.listArtifacts(access, headSha)).toEqual({
        ...{ artifacts: [], mayGrow: false },
      })
      const input = { id: '1', maxBytes: 10 }
      const refused = { code: 'platform_refused' }
      await expect(platform.getAnalysis(access, input)).rejects.toMatchObject(refused)
      await expect(platform.getArtifact(access, input)).rejects.toMatchObject(refused)
    })

    it('code scanning: is refused where it is not enabled', async (context) => {
      const { access, platform } = setUp()
      if (platform.limits.codeScanning !== true) return context.skip()
      const error = await platform.listAnalyses(access, { branch: 'main' }).catch((one) => one)
      expect(error).toBeInstanceOf(PlatformError)
      expect(error.retryable).toBe(false)
      expect(['platform_forbidden', 'platform_not_found']).toContain(error.code)
    })

    it('code scanning: lists the logs of the head, and downloads them', async (context) => {
      const { access, platform, tools } = setUp()
      if (platform.limits.codeScanning !== true) return context.skip()
      const { number, sha, head } = await openChange()
      await tools.uploadAnalysis({ branch: 'main' }, { tool: 'Lint', category: '', results: 1 })
      const of = { number, headSha: sha }
      expect(await platform.listAnalyses(access, of)).toEqual([])
      const log = { tool: 'Lint', category: '/js', results: 2 }
      const atHead = await tools.uploadAnalysis({ number }, log)
      const merged = { tool: 'Scan', category: '', results: 0 }
      const atMerge = await tools.uploadAnalysis({ number, isMerge: true }, merged)
      const listed = await platform.listAnalyses(access, of)
      expect(listed).toEqual([
        { ...merged, id: atMerge, isMerge: true, sha: expect.stringMatching(/^[0-9a-f]{40}$/) },
        { ...log, id: atHead, isMerge: false, sha },
      ])
      const tooLarge = platform.getAnalysis(access, { id: atHead, maxBytes: 50 })
      await expect(tooLarge).rejects.toMatchObject({ code: 'platform_too_large' })
      const bytes = await platform.getAnalysis(access, { id: atHead, maxBytes: 10_000 })
      expect(JSON.parse(Buffer.from(bytes).toString()).version).toBe('2.1.0')
      const ofBranch = await platform.listAnalyses(access, { branch: 'main' })
      expect(ofBranch).toMatchObject([{ tool: 'Lint', isMerge: false, results: 1 }])
      const next = await getFixture().push(head, { 'next.txt': 'next\n' })
      expect(await platform.listAnalyses(access, { number, headSha: next })).toEqual([])
    })

    it('artifacts: lists those of runs that have ended', async (context) => {
      const { access, platform, tools } = setUp()
      if (platform.limits.artifacts !== true) return context.skip()
      const { sha } = await openChange()
      const other = await openChange()
      const list = () => platform.listArtifacts(access, sha)
      expect(await list()).toEqual({ artifacts: [], mayGrow: true })
      const bytes = Buffer.from('an archive')
      await tools.startRun(other.sha, 'push')({ other: bytes })
      await tools.startRun(sha, 'pull_request_target')({ base: bytes })
      await tools.startRun(sha, 'push')({ first: bytes })
      const end = tools.startRun(sha, 'pull_request')
      const first = { id: expect.any(String), name: 'first', size: 10, isMerge: false }
      expect(await list()).toEqual({ artifacts: [first], mayGrow: true })
      await end({ second: bytes })
      const { artifacts, mayGrow } = await list()
      expect(artifacts).toMatchObject([{ name: 'second', isMerge: true }, first])
      expect(mayGrow).toBe(false)
      const { id } = artifacts[0]!
      const archive = await platform.getArtifact(access, { id, maxBytes: 10 })
      expect(Buffer.from(archive).equals(bytes)).toBe(true)
      const tooLarge = platform.getArtifact(access, { id, maxBytes: 9 })
      await expect(tooLarge).rejects.toMatchObject({ code: 'platform_too_large' })
      tools.expireArtifacts()
      expect(await list()).toEqual({ artifacts: [], mayGrow: false })
      const gone = platform.getArtifact(access, { id, maxBytes: 1000 })
      await expect(gone).rejects.toMatchObject({ code: 'platform_not_found' })
    })
  })
}
