// Derives statistics about files and people from reviewed pull requests: hot spots, owners,
// experts.
import { sql } from 'kysely'
import { classifyFile } from '../code/classify-file.ts'
import type { repositoryGraph } from '../contract/analytics-endpoints.ts'
import type { ResponseRecord } from '../contract/endpoint.ts'
import type { Db } from '../db/database.ts'
import { limitRows } from '../db/limit-rows.ts'
import type { RepositoryName } from '../domain/pull-request.ts'

/** A reviewed pull request counts for the files in its latest review. */
export type FileActivityStatistics = Pick<
  ResponseRecord<typeof repositoryGraph>,
  'hotspots' | 'highRisk' | 'deadFiles' | 'ownership' | 'expertise'
>

export const noFileActivityStatistics: FileActivityStatistics = {
  hotspots: [],
  highRisk: [],
  deadFiles: { count: 0, sample: [] },
  ownership: [],
  expertise: [],
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
  const { hasGraph, hotspots, highRisk, deadFiles } = await readFiles(tx, repo)
  const selectListed = <File extends { path: string }>(files: readonly File[]) => {
    const isHandwritten = ({ path }: File) => hasGraph || classifyFile(path).kind === 'source'
    return files.filter(isHandwritten).slice(0, maxListed)
  }
  const listedHotspots = selectListed(hotspots)
  return {
    hotspots: listedHotspots,
    highRisk: selectListed(highRisk),
    deadFiles,
    ownership: await readOwners(tx, repo, listedHotspots),
    expertise: await readExperts(tx, repo),
  }
}

type FileStatistics = Pick<FileActivityStatistics, 'hotspots' | 'highRisk' | 'deadFiles'> & {
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
      select path, touches as "touchCount" from counted where touches > 0
      order by touches desc, path ${limitRows(maxCandidates)}
    ), risks as (
      select path, requests as "riskScore" from counted where requests > 0
      order by requests desc, path ${limitRows(maxCandidates)}
    ), dead as materialized (
      select path from code_files file
      where graph_id = (select id from graph) and kind = 'source'
        and not exists (select from touched where touched.path = file.path and touches > 0)
    )
    select exists (select from graph) as "hasGraph",
      (select coalesce(json_agg(hotspots), '[]') from hotspots) as hotspots,
      (select coalesce(json_agg(risks), '[]') from risks) as "highRisk",
      json_build_object(
        'count', (select count(*) from dead),
        'sample', array(select path from dead order by path limit 10)
      ) as "deadFiles"`.execute(tx)
  return rows[0] as FileStatistics
}

async function readOwners(
  tx: Db,
  repo: RepositoryName,
  files: FileActivityStatistics['hotspots'],
): Promise<FileActivityStatistics['ownership']> {
  const paths = files.map(({ path }) => path)
  const { rows } = await sql<FileActivityStatistics['ownership'][number]>`
    with shares as (
      select path, author, count(*) as share, max(pr_number) as newest,
        sum(count(*)) over (partition by path) as touches
      from pull_request_files
      where repo = ${repo} and path = any(${paths}::text[]) and latest
      group by path, author
    )
    select distinct on (path) path, author as owner, round(100 * share / touches, 1) as "touchPct"
    from shares order by path, share desc, newest desc`.execute(tx)
  return rows.sort((one, other) => paths.indexOf(one.path) - paths.indexOf(other.path))
}

async function readExperts(
  tx: Db,
  repo: RepositoryName,
): Promise<FileActivityStatistics['expertise']> {
  const { rows } = await sql<FileActivityStatistics['expertise'][number]>`
    with authors as materialized (
      select author, count(*) as touches from pull_request_files
      where repo = ${repo} and latest and author <> ''
      group by author order by touches desc, author ${limitRows(maxListed)}
    )
    select author as login, touches as "totalTouches", array(
      select directory from pull_request_files
      where repo = ${repo} and latest and author = authors.author
      group by directory order by count(*) desc, directory limit 3
    ) as "topDirs"
    from authors order by touches desc, author`.execute(tx)
  return rows
}
