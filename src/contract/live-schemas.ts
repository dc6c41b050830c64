// Schema of the live stream.
import { z } from 'zod'
import { errorResponses, security } from './common-schemas.ts'

export const liveStreamSchema = {
  summary: 'Follow what changes',
  description: `\
Server-sent events, each with JSON as its data, for the repositories that the caller sees:

| Event | Data | What to do |
|---|---|---|
| \`ready\` | \`{}\` | read the lists now: from here on nothing is missed |
| \`review\` | \`{ id, repo_name, pr_number, status }\` | the entry of this pull request in the reviews list is another, or has another status |
| \`repository\` | \`{ repo_name, connected }\` | a repository was connected or disconnected: read the lists anew |
| \`scan\` | \`{ repo_name, status, step, done, total }\` | the scan of the repository began, went on or ended |
| \`resync\` | \`{}\` | something may have been missed: read the lists anew |

The stream ends when the credential counts no more. Who reads too slowly is cut off and may come again.`,
  tags: ['Reviews'],
  security: security.either,
  response: {
    200: { description: 'The stream', content: { 'text/event-stream': { schema: z.string() } } },
    ...errorResponses(401, 429),
  },
}
