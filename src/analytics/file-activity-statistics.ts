// Derives statistics about files and people from reviewed pull requests: hot spots, owners,
// experts.
import { sql } from 'kysely'
import { classifyFile } from '../code/classify-file.ts'
import type { Db } from '../db/database.ts'
import { limitRows } from '../db/limit-rows.ts'
import type { RepositoryName } from '../domain/pull-request.ts'

/**
 * A reviewed pull request counts for the files in its latest review. Lists have 50 entries at most.
 */
export interface FileActivityStatistics {
  /** Number of reviewed pull requests that changed each file; sorted by number, then path. */
  readonly hotspots: readonly { readonly path: string; readonly touches: number }[]
  /** Number of commits to each file with requested changes; sorted by number, then path. */
  readonly risks: readonly { readonly path: string; readonly requests: number }[]
  /**
   * The author of most pull requests to each hot spot; the most recent author when there is a tie.
   */
  readonly owners: readonly {
    readonly path: string
    readonly login: string
    /** How many of the file's pull requests are theirs, with one decimal. */
    readonly percent: number
  }[]
  /** Authors by the files that their pull requests changed; a file counts once per pull request. */
  readonly experts: readonly {
    readonly login: string
    readonly touches: number
    /** The three directories with most changes; `.` is the root. */
    readonly directories: readonly string[]
  }[]
  /** Files of the default branch that no reviewed pull request changed. Needs a code graph. */
  readonly dead: { readonly count: number; readonly sample: readonly string[] }
}

export const noFileActivityStatistics: FileActivityStatistics = {
  hotspots: [],
  risks: [],
  owners: [],
  experts: [],
  dead: { count: 0, sample: [] },
}

const maxListed = 50
/** Without a code graph, paths decide which files are written by hand, so extra rows are read. */
const maxCandidates = 2000

/**
 * Reads the statistics. Except for experts, generated, vendored and binary files are left out, and
 * so are files that are missing from the code graph if there is one.
 *
 * @param tx a transaction in which all reads see the same snapshot
 */
export async function readFileActivityStatistics(
  tx: Db,
  repo: RepositoryName,
): Promise<FileActivityStatistics> {
  const { hasGraph, hotspots, risks, dead } = await readFiles(tx, repo)
  const selectListed = <File extends { path: string }>(files: readonly File[]) => {
    const isHandwritten = ({ path }: File) => hasGraph || classifyFile(path).kind === 'source'
    return files.filter(isHandwritten).slice(0, maxListed)
  }
  const listedHotspots = selectListed(hotspots)
  return {
    hotspots: listedHotspots,
    risks: selectListed(risks),
    owners: await readOwners(tx, repo, listedHotspots),
    experts: await readExperts(tx, repo),
    dead,
  }
}

type FileStatistics = Pick<FileActivityStatistics, 'hotspots' | 'risks' | 'dead'> & {
  readonly hasGraph: boolean
}

async function readFiles(tx: Db, repo: RepositoryName): Promise<FileStatistics> {
  const { rows } = await sql<FileStatistics>`
    with graph as materialized (
      select id from code_graphs where repo = ${repo} and commit_sha is not null
    ), touched as materialized (
      select path, count(*) filter (where latest) as touches,
        count(*) filter (where requested_changes) as requests
      from pull_request_files where repo = ${repo} group by path
    ), counted as materialized (
      select touched.* from touched
      left join code_files file
        on file.graph_id = (select id from graph) and file.path = touched.path
      where file.kind = 'source' or not exists (select from graph)
    ), hotspots as (
      select path, touches from counted where touches > 0
      order by touches desc, path ${limitRows(maxCandidates)}
    ), risks as (
      select path, requests from counted where requests > 0
      order by requests desc, path ${limitRows(maxCandidates)}
    ), dead as materialized (
      select path from code_files file
      where graph_id = (select id from graph) and kind = 'source'
        and not exists (select from touched where touched.path = file.path and touches > 0)
    )
    select exists (select from graph) as "hasGraph",
      (select coalesce(json_agg(hotspots), '[]') from hotspots) as hotspots,
      (select coalesce(json_agg(risks), '[]') from risks) as risks,
      json_build_object(
        'count', (select count(*) from dead),
        'sample', array(select path from dead order by path limit 10)
      ) as dead`.execute(tx)
  return rows[0] as FileStatistics
}

async function readOwners(
  tx: Db,
  repo: RepositoryName,
  files: FileActivityStatistics['hotspots'],
): Promise<FileActivityStatistics['owners']> {
  const paths = files.map(({ path }) => path)
  const { rows } = await sql<FileActivityStatistics['owners'][number]>`
    with shares as (
      select path, author, count(*) as share, max(pr_number) as newest,
        sum(count(*)) over (partition by path) as touches
      from pull_request_files
      where repo = ${repo} and path = any(${paths}::text[]) and latest
      group by path, author
    )
    select distinct on (path) path, author as login, round(100 * share / touches, 1) as percent
    from shares order by path, share desc, newest desc`.execute(tx)
  return rows.sort((one, other) => paths.indexOf(one.path) - paths.indexOf(other.path))
}

async function readExperts(
  tx: Db,
  repo: RepositoryName,
): Promise<FileActivityStatistics['experts']> {
  const { rows } = await sql<FileActivityStatistics['experts'][number]>`
    with authors as materialized (
      select author, count(*) as touches from pull_request_files
      where repo = ${repo} and latest and author <> ''
      group by author order by touches desc, author ${limitRows(maxListed)}
    )
    select author as login, touches, array(
      select directory from pull_request_files
      where repo = ${repo} and latest and author = authors.author
      group by directory order by count(*) desc, directory limit 3
    ) as directories
    from authors order by touches desc, author`.execute(tx)
  return rows
}
