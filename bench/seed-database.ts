// Fills a database with half a year of data of a busy service.
import type pg from 'pg'

export interface SeedSize {
  readonly events: number
  readonly repositories: number
}

/** User ids of the measured viewers by name. */
export type Viewers = ReadonlyMap<string, number>

const eventsPerPullRequest = 10

const titleWords = {
  verbs: 'Add Fix Remove Rename Cache Speed-up Document Refactor Bump Revert Handle Validate'.split(
    ' ',
  ),
  parts:
    `billing login upload search export invoice webhook retry parser session token config migration
    index queue worker report editor preview layout sidebar tooltip avatar locale currency discount
    shipping warehouse stock cart checkout refund audit policy quota backup restore snapshot stream
    buffer socket proxy gateway router scheduler`.split(/\s+/),
  ends: [
    'in the API',
    'for guests',
    'on mobile',
    'when it is empty',
    'after a timeout',
    'behind a flag',
    'again',
    'at last',
  ],
  /** Occurs in one title of 5,000. */
  rare: 'quasar',
} as const

/**
 * Inserts pull requests over 180 days in repositories of very different sizes, with 10 events each.
 * 90 % are reviewed. States are fresh, so that the service does not ask the platform.
 */
export async function seedDatabase(client: pg.Client, size: SeedSize): Promise<Viewers> {
  const pulls = Math.round(size.events / eventsPerPullRequest)
  await client.query('select setseed(0.42)')
  // Disables foreign keys, because rows reference each other before both exist.
  await client.query('set session_replication_role = replica')
  await client.query(createPullRequests, [
    pulls,
    size.repositories,
    titleWords.verbs,
    titleWords.parts,
    titleWords.ends,
    titleWords.rare,
  ])
  for (const statement of [
    createEvents,
    createListedEvents,
    savePullRequests,
    saveSearch,
    saveEvents,
    saveRuns,
    saveFindings,
    saveDismissals,
    saveOutcomes,
    saveSpend,
  ]) {
    await client.query(statement)
  }
  const viewers = await saveViewers(client, size.repositories)
  await client.query('drop table seeded_pulls, seeded_events, seeded_ranks')
  await client.query('set session_replication_role = default')
  for (const table of ['events', 'workflow_runs', 'findings', 'users']) {
    await client.query(
      `select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) + 1 from ${table}))`,
    )
  }
  await client.query('vacuum analyze')
  return viewers
}

const pickRandom = (list: string) =>
  `(${list}::text[])[1 + floor(random() * cardinality(${list}::text[]))::int]`

/** The newest have the highest `i`. Pull requests close after two days on average. */
const createPullRequests = `
  create temp table seeded_pulls as
  select *, row_number() over (partition by repo order by i)::int as number,
    least(closes_at, now()) as last_at,
    case when outcome <> 'pending' then i end as run_id,
    case when closes_at > now() then 'open'
      when random() < 0.8 then 'merged' else 'closed' end as state
  from (
    select i, 'org-' || repo_no % 50 || '/repo-' || repo_no as repo,
      'dev-' || floor(2000 * random() ^ 2) as author,
      opened_at, opened_at + interval '48 hours' * -ln(1 - random()) as closes_at,
      case when i > $1::int - greatest(20, $1::int / 1000) then 'processing'
        when fate < 0.05 then 'pending'
        when fate < 0.1 then 'failed' else 'completed' end as outcome,
      concat_ws(' ', ${pickRandom('$3')}, 'the', ${pickRandom('$4')}, ${pickRandom('$4')},
        ${pickRandom('$5')},
        case when random() < 0.0002 then $6::text end) as title,
      floor(10 ^ (random() * 3.2))::int as additions,
      floor(10 ^ (random() * 2.7))::int as deletions,
      (random() < 0.1)::int as critical,
      floor(random() * 2.2)::int as moderate,
      floor(random() * 3)::int as minor
    from (
      select i, 1 + floor($2::int * random() ^ 2)::int as repo_no, random() as fate,
        now() - interval '180 days' * (1 - i::float8 / $1::int) as opened_at
      from generate_series(1, $1::int) as i
    ) as chosen
  ) as described`

/** One opening, four pushes and recorded events, with ids in the order of time. */
const createEvents = `
  create temp table seeded_events as
  select row_number() over (order by created_at, i, k)::bigint as id, *,
    case when wants_review then outcome else 'pending' end as status
  from (
    select i, k, repo, number, run_id, outcome,
      opened_at + (last_at - opened_at) * (k / 9.0) as created_at,
      k in (0, 1, 3, 5, 7) and outcome <> 'pending' as wants_review,
      'pull_request.' || case when k = 0 then 'opened' when k in (1, 3, 5, 7) then 'synchronize'
        when k = 9 and state <> 'open' then 'closed' else 'labeled' end as event_type
    from seeded_pulls, generate_series(0, ${eventsPerPullRequest - 1}) as k
  ) as timed`

/** The listed event of each pull request. */
const createListedEvents = `
  create temp table seeded_ranks as
  select distinct on (i) i, id, status from seeded_events
  order by i, case status when 'completed' then 4 when 'failed' then 3
    when 'processing' then 2 else 1 end desc, id desc`

const verdictOf = `case when critical > 0 then 'REQUEST_CHANGES'
  when moderate > 0 then 'NEEDS_DISCUSSION' else 'APPROVE' end`
const isReviewed = `outcome = 'completed'`

const savePullRequests = `
  insert into pull_requests (repo, number, title, search_text, author, branch, base_branch,
    url, state, head_sha, additions, deletions, opened_at, merged_at, updated_at,
    state_as_of, state_checked_at, listed_event_id, listed_status, last_event_at, reviewed_run_id,
    verdict, confidence, critical_count, moderate_count, minor_count,
    first_requested_at, first_reviewed_at)
  select repo, number, title, lower(concat_ws(E'\\x1f', title, repo, number)), author,
    'topic-' || i, 'main', 'https://forge.example/' || repo || '/pull/' || number, state,
    md5(i::text) || '00000000', additions, deletions, opened_at,
    case when state = 'merged' then last_at end, last_at, last_at,
    'infinity', r.id, r.status, last_at,
    case when ${isReviewed} then run_id end, case when ${isReviewed} then ${verdictOf} end,
    case when ${isReviewed} then 1 + (i * 7 % 5) end,
    case when ${isReviewed} then critical else 0 end,
    case when ${isReviewed} then moderate else 0 end,
    case when ${isReviewed} then minor else 0 end,
    case when ${isReviewed} then opened_at end,
    case when ${isReviewed} then opened_at + interval '3 minutes' * random() end
  from seeded_pulls join seeded_ranks r using (i) order by i`

const saveSearch = `
  insert into pull_request_search (repo, number, text)
  select repo, number, search_text from pull_requests order by listed_event_id`

/** Short payloads, because real ones are stored out of line. */
const saveEvents = `
  insert into events (id, event_type, source, delivery_id, repo, pr_number, payload, status,
    wants_review, run_id, created_at, processed_at)
  overriding system value
  select id, event_type, 'github', gen_random_uuid(), repo, number, '\\x28b52ffd', status,
    wants_review,
    case when wants_review then run_id end, created_at,
    case when status in ('completed', 'failed') then created_at + interval '1 minute' end
  from seeded_events order by id`

const saveRuns = `
  insert into workflow_runs (id, workflow_type, repo, pr_number, status, attempts,
    created_at, started_at, finished_at, head_sha, verdict, confidence, summary, files_analyzed)
  overriding system value
  select run_id, 'pr_review', repo, number, r.status, 1, last_at, last_at, last_at,
    md5(i::text) || '00000000',
    case when ${isReviewed} then ${verdictOf} end, case when ${isReviewed} then 1 + (i * 7 % 5) end,
    case when ${isReviewed} then
      ${verdictOf} || E'\\nConfidence: ' || 1 + (i * 7 % 5) || E'/5\\n\\n' || (
      select string_agg(md5(i::text || word), ' ') from generate_series(1, 40) as word) end,
    1 + i % 30
  from seeded_pulls join seeded_ranks r using (i) where run_id is not null order by i`

/** About ten for each review. Those that aren't open were fixed, replaced or dismissed. */
const saveFindings = `
  insert into findings (repo, pr_number, fingerprint, first_run_id, last_run_id, reviewer, rule,
    path, side, start_line, end_line, severity, category, title, body, confidence, verified, state,
    resolution, placement, created_at)
  select repo, number, md5(i || severity || became || n), run_id, run_id, 'static',
    case when random() < 0.7 then 'rule-' || floor(60 * random() ^ 2) end,
    'src/' || word || '/' || word || '-' || n || '.ts', 'RIGHT',
    n, n, severity, case when n % 3 = 0 then 'security' else 'correctness' end,
    'The ' || word || ' breaks when it is empty', repeat('When it runs, then it breaks. ', 10),
    0.9, true, became, case when became = 'resolved' then
      case when random() < 0.9 then 'fixed' else 'replaced' end end, 'inline',
    opened_at + (last_at - opened_at) * random()
  from seeded_pulls join seeded_ranks r using (i),
    lateral (values ('critical', 'open', critical), ('moderate', 'open', moderate),
      ('minor', 'open', minor), ('critical', 'resolved', i % 3), ('moderate', 'resolved', i % 7),
      ('minor', 'resolved', i % 8), ('moderate', 'dismissed', i % 3))
      as found (severity, became, count),
    generate_series(1, found.count) as n,
    lateral (select (string_to_array(title, ' '))[3] as word) as named
  where ${isReviewed} order by i`

const saveDismissals = `
  insert into dismissals (repo, pr_number, fingerprint, reopened, login, via, reason, created_at)
  select repo, pr_number, fingerprint, 0, 'dev-1',
    case when id % 2 = 0 then 'api' else 'thread' end,
    case when id % 2 = 0 then 'reason ' || id % 40 else '' end, created_at + interval '1 hour'
  from findings where state = 'dismissed'`

const saveOutcomes = `
  update pull_requests p set fixed_count = n.fixed, dismissed_count = n.dismissed,
    open_count = n.open, open_critical_count = n.critical
  from (
    select repo, pr_number, count(*) filter (where resolution = 'fixed') as fixed,
      count(*) filter (where state = 'dismissed') as dismissed,
      count(*) filter (where state = 'open') as open,
      count(*) filter (where state = 'open' and severity = 'critical') as critical
    from findings group by repo, pr_number
  ) as n
  where n.repo = p.repo and n.pr_number = p.number`

/** A quarter of the runs use two models; one of fifty has an unknown price. */
const saveSpend = `
  insert into model_spend (run_id, model, calls, input_tokens, output_tokens, cost_usd, created_at)
  select run_id, 'anthropic:model-' || n, 5, 40000, 2000,
    case when i % 50 > 0 then random() / 5 end, last_at
  from seeded_pulls, generate_series(1, 1 + (i % 4 = 0)::int) as n
  where run_id is not null order by i`

/** An administrator, two users, and enough others to connect each repository. */
async function saveViewers(client: pg.Client, repositories: number): Promise<Viewers> {
  await client.query(`
    insert into users (id, platform, platform_user_id, login, is_admin) overriding system value
    select id, 'github', id::text, 'user-' || id, id = 1 from generate_series(1, 203) as id`)
  // The first repositories have the most pull requests.
  const step = Math.floor(repositories / 5)
  await client.query(
    `insert into installations (user_id, repo_full_name, webhook_secret)
     select user_id, 'org-' || repo_no % 50 || '/repo-' || repo_no, repeat('0', 64) from (
       select 2 as user_id, 1 + n * $2::int as repo_no from generate_series(0, 4) as n
       union all select 3, 1 + n * 3 from generate_series(0, 299) as n where n * 3 < $1::int
       union all select 4 + repo_no % 200, repo_no from generate_series(1, $1::int) as repo_no
     ) as connected`,
    [repositories, step],
  )
  return new Map([
    ['administrator', 1],
    ['5 repositories', 2],
    ['300 repositories', 3],
  ])
}
