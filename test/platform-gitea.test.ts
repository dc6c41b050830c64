// The platform contract for Gitea and Forgejo, on a local forge with their API.
import { createPlatform } from '../src/platforms/index.ts'
import { startForgeFixture } from './contracts/forge-fixture.ts'
import { describePlatform, type PlatformTraits } from './contracts/platform-contract.ts'

const traits: PlatformTraits = {
  draftTitle: (title) => `WIP: ${title}`,
  webhookEvents: ['issues', 'pull_request', 'pull_request_sync'],
  grantedScope: null,
  pullPath: 'pulls',
  commentsOnRanges: false,
  followsLines: false,
  // Gitea fails at lines beyond the end of a file alone; Forgejo takes any.
  refusedPlaces: [
    { path: 'src/count.ts', endLine: 999 },
    { path: 'src/count.ts', endLine: 1000 },
  ],
  replacesVerdicts: true,
  writersDismiss: false,
  refusesDiffs: false,
  postsReviews: true,
  restrictsDismissals: true,
  signsDeliveries: true,
  pingsWebhooks: true,
  writersEdit: true,
  countsDeliveredLines: true,
  listsSizes: true,
  hasGroups: false,
  hidesPermissions: true,
}

for (const dialect of ['gitea', 'forgejo'] as const) {
  describePlatform(dialect, () =>
    startForgeFixture({
      dialect,
      traits: dialect === 'gitea' ? traits : { ...traits, refusedPlaces: null },
      personalToken: '0123456789abcdef0123456789abcdef01234567',
      createPlatform: ({ apiUrl, url }) =>
        createPlatform({ id: dialect, url, apiUrl, oauth: null, userAgent: 'umpire-test' }),
      deliveryHeader: 'x-gitea-delivery',
      actions: { synchronize: 'synchronized' },
      writes: {
        summary: /\/issues\/\d+\/comments$/,
        inline: /\/pulls\/\d+\/reviews$/,
        check: /\/statuses\/\w+$/,
        dismissal: /\/dismissals$/,
      },
    }),
  )
}
