// Defines the schema of the live event stream.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import { endpoint } from './endpoint.ts'

export const liveStream = endpoint(addresses.liveStream, {
  summary: 'Stream changes',
  description: `\
Returns a stream of server-sent events for the repositories that the caller can see. The data of
each event is JSON:

| Event | Data | Meaning |
|---|---|---|
| \`ready\` | \`{}\` | The stream is open. Fetch your lists now: later changes are not missed. |
| \`review\` | \`{ id, repo_name, pr_number, status }\` | An entry of the reviews list changed. |
| \`repository\` | \`{ repo_name, connected }\` | A repository was connected or disconnected. |
| \`scan\` | \`{ repo_name, status, step, done, total }\` | A scan started, proceeded or ended. |
| \`resync\` | \`{}\` | Changes may have been missed. Fetch your lists again. |

After \`repository\`, also fetch your lists again. The stream ends when the credential expires or
is revoked. A client that reads too slowly is disconnected and can connect again.`,
  tags: ['Reviews'],
  credential: 'either',
  response: {
    description: 'The stream of events',
    content: { 'text/event-stream': { schema: z.string() } },
  },
  errors: [429],
})
