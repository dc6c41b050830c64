// Sample answers of the MCP servers of Linear, Atlassian, Sentry and Slack.

/** The answer of Linear's `get_issue`. */
export function linearIssue(
  key: string,
  { title, description }: { title: string; description: string },
): string {
  return JSON.stringify({
    id: key,
    title,
    description,
    priority: { value: 2, name: 'High' },
    url: `https://linear.app/acme/issue/${key}/totals`,
    gitBranchName: `alice/${key.toLowerCase()}-totals`,
    createdAt: '2026-10-10T01:34:27.970Z',
    archivedAt: null,
    dueDate: null,
    status: 'In Progress',
    labels: ['Bug'],
    attachments: [{ id: '1', title: 'A drawing', url: 'https://drawings.example/1' }],
    createdBy: 'Bob',
    project: 'Orders',
    team: 'Shop',
  })
}

/** The answer of Atlassian's `getJiraIssue`: rich text as a document, or as Markdown on request. */
export function jiraIssue(
  key: string,
  { summary, description }: { summary: string; description: unknown },
): string {
  const api = 'https://api.atlassian.com/ex/jira/5cc8bf9e-1f2c-4a6e-9d0c-6bb0c2a51d11/rest/api/3'
  return JSON.stringify({
    expand: 'renderedFields,names,schema,operations',
    id: '10042',
    self: `${api}/issue/10042`,
    key,
    fields: {
      issuetype: {
        self: `${api}/issuetype/10001`,
        name: 'Bug',
        iconUrl: 'https://acme.atlassian.net/icon',
      },
      status: {
        self: `${api}/status/3`,
        name: 'In Progress',
        statusCategory: { name: 'In Progress' },
      },
      priority: {
        self: `${api}/priority/2`,
        name: 'High',
        iconUrl: 'https://acme.atlassian.net/icons/high.svg',
      },
      labels: ['orders'],
      summary,
      description,
      issuelinks: [{ outwardIssue: { key: 'SHOP-1', fields: { summary: 'Another ticket' } } }],
      assignee: null,
    },
  })
}

/** Rich text in Atlassian's document format. */
export function atlassianDocument(paragraphs: readonly string[]): unknown {
  const content = paragraphs.map((text) => ({
    type: 'paragraph',
    content: [{ type: 'text', text }],
  }))
  return { type: 'doc', version: 1, content }
}

/** The answer of Sentry's `search_issues`. */
export function sentryIssues(
  query: string,
  issues: readonly { id: string; title: string; culprit: string }[],
): string {
  const head = [
    `# Search Results for "${query}"`,
    '',
    '**Suggested presentation:** Cards work well for these issues.',
    '',
  ]
  if (issues.length === 0) {
    return [
      ...head,
      'No issues found matching your search criteria.',
      '',
      'Try adjusting your search criteria.',
    ].join('\n')
  }
  const found = issues.map(({ id, title, culprit }, index) => {
    const link = `https://acme.sentry.io/issues/${id}`
    const facts = [
      '- **Status**: unresolved',
      '- **Users**: 3',
      '- **Events**: 12',
      `- **Culprit**: \`${culprit}\``,
    ]
    return [`## ${index + 1}. [${id}](${link})`, '', `**${title}**`, '', ...facts, ''].join('\n')
  })
  const next =
    '## Next Steps\n\n- Get more details about a specific issue: ' +
    'Use get_sentry_resource with the issue ID\n'
  const all = `**View these results in Sentry**:\nhttps://acme.sentry.io/issues/?query=x\n\nFound **${issues.length}** issues:\n`
  return [...head, all, ...found, next].join('\n')
}

/** The answer of Slack's `slack_search_public`. */
export function slackMessages(
  query: string,
  messages: readonly { from: string; text: string; at: string }[],
): string {
  const found = messages.map(({ from, text, at }, index) =>
    [
      `### Result ${index + 1} of ${messages.length}`,
      'Channel: #orders (ID: C0ENGCHAN1)',
      `From: ${from} <${from.toLowerCase()}@acme.example> (ID: U0${index})`,
      'Time: 2026-10-15 16:49:55 EDT',
      `Message_ts: ${at}`,
      `Permalink: [link](https://acme.slack.com/archives/C0ENGCHAN1/p${at.replace('.', '')})`,
      'Text:',
      text,
      '---',
    ].join('\n'),
  )
  const none = messages.length === 0 ? ['No results found.'] : []
  const results = [
    `# Search Results for: ${query}`,
    '',
    `## Messages (${messages.length} results)`,
    ...found,
    ...none,
  ]
  return JSON.stringify({ results: results.join('\n'), pagination_info: '' })
}
