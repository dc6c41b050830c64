// Reads the map of a repository's code: its directories and files, their sizes, and their
// relations.
import { type RawBuilder, sql } from 'kysely'
import type { showCodeMap } from '../contract/code-map-endpoints.ts'
import type { ResponseRecord } from '../contract/endpoint.ts'
import type { Db } from '../db/database.ts'
import { limitRows } from '../db/limit-rows.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { findingOutcome, joinDismissal, joinReviewed } from '../events/finding-outcomes.ts'
import { chooseMapParts, type Folder } from './choose-map-parts.ts'

export type CodeMap = Omit<ResponseRecord<typeof showCodeMap>, 'repo' | 'path'>

export const emptyCodeMap: CodeMap = {
  commit: null,
  nodes: [],
  edges: [],
  leftOut: { nodes: 0, edges: 0 },
}

/** Directories are opened up to this number of nodes, which is as many as people can overlook. */
const targetNodes = 60
const maxNodes = 300
const maxEdges = 1500

/**
 * Reads the map. Leaves out files that aren't written by hand, as the file activity statistics do.
 *
 * @param tx a transaction in which all reads see the same snapshot
 * @param directory without a slash at its end; empty for the whole repository
 */
export async function readCodeMap(
  tx: Db,
  repo: RepositoryName,
  directory: string,
): Promise<CodeMap> {
  const parts = [...chooseMapParts(await readFolders(tx, repo, directory), targetNodes)]
  if (parts.length === 0) return emptyCodeMap
  const { rows } = await sql<CodeMap>`
    with ${filesBelow(repo, directory)}, named as materialized (
      select id, path, rest, language, coalesce(lines, 0) as lines,
        coalesce(complexity, 0) as complexity,
        coalesce(part, rest) as name
      from files join unnest(
        ${parts.map(([folder]) => folder)}::text[],
        ${parts.map(([, part]) => part)}::text[]
      ) as parts (folder, part) using (folder)
    ), languages as materialized (
      select name, language, count(*) as files, sum(lines) as lines, sum(complexity) as complexity,
        bool_or(rest <> name) as is_directory
      from named group by name, language
    ), ranked as materialized (
      select name, sum(files) as files, sum(lines) as lines, sum(complexity) as complexity,
        (
          array_agg(language order by lines desc, language) filter (where language is not null)
        )[1] as language,
        bool_or(is_directory) as is_directory,
        row_number() over (order by sum(lines) desc, name collate "C") as node
      from languages group by name
    ), placed as materialized (
      select id, path, node from named join ranked using (name) where node <= ${sql.lit(maxNodes)}
    ), met as materialized (
      select node, path, pr_number, latest, requested_changes
      from placed join pull_request_files using (path) where repo = ${repo}
    ), touched as materialized (
      select node, count(*) as touches
      from (select distinct node, pr_number from met where latest) as once group by node
    ), risky as materialized (
      select node, count(*) as risks
      from (select distinct node, path from met where requested_changes) as once group by node
    ), found as materialized (
      select node, count(*) as findings
      from placed join findings f using (path) ${joinReviewed} ${joinDismissal}
      where f.repo = ${repo} and ${findingOutcome} in ('open', 'fixed', 'suppressed')
      group by node
    ), links as materialized (
      select source.node as source, target.node as target,
        coalesce(sum(sites) filter (where kind = 'import'), 0) as imports,
        coalesce(sum(sites) filter (where kind <> 'import'), 0) as calls
      from placed source join code_edges on source_id = source.id
      left join placed target on target.id = target_id
      where source.node is distinct from target.node
      group by source.node, target.node
    ), incoming as materialized (
      select target.node as target, sum(sites) as sites
      from placed target join code_edges on target_id = target.id
      left join placed source on source.id = source_id
      where source.id is null
      group by target.node
    ), edges as (
      select source, target, imports, calls from links
      where target is not null order by imports + calls desc, source, target ${limitRows(maxEdges)}
    ), nodes as (
      select ${prefixOf(directory)}::text || name as path,
        case when is_directory then 'directory' else 'file' end as kind,
        files, lines, language, complexity,
        coalesce(touches, 0) as touches, coalesce(risks, 0) as "highRisk",
        coalesce(findings, 0) as findings,
        coalesce(links.imports + links.calls, 0) as "usesElsewhere",
        coalesce(incoming.sites, 0) as "usedElsewhere"
      from ranked left join touched using (node) left join risky using (node)
      left join found using (node)
      left join links on links.source = node and links.target is null
      left join incoming on incoming.target = node
      where node <= ${sql.lit(maxNodes)} order by node
    )
    select (select commit_sha from graph) as commit,
      (select coalesce(json_agg(nodes), '[]') from nodes) as nodes,
      (select coalesce(json_agg(edges), '[]') from edges) as edges,
      json_build_object(
        'nodes', (select count(*) from ranked where node > ${sql.lit(maxNodes)}),
        'edges', (
          select greatest(count(*) - ${sql.lit(maxEdges)}, 0) from links where target is not null
        )
      ) as "leftOut"`.execute(tx)
  return nameEdges(rows[0] as CodeMap & { edges: readonly NumberedEdge[] })
}

/** An edge in the query's result, where nodes are 1-based positions in the list of nodes. */
interface NumberedEdge extends Omit<CodeMap['edges'][number], 'source' | 'target'> {
  readonly source: number
  readonly target: number
}

function nameEdges({
  edges,
  ...map
}: Omit<CodeMap, 'edges'> & { edges: readonly NumberedEdge[] }): CodeMap {
  const nameOf = (node: number) => map.nodes[node - 1]?.path ?? ''
  return {
    ...map,
    edges: edges.map((edge) => ({
      ...edge,
      source: nameOf(edge.source),
      target: nameOf(edge.target),
    })),
  }
}

async function readFolders(tx: Db, repo: RepositoryName, directory: string): Promise<Folder[]> {
  const { rows } = await sql<Folder>`
    with ${filesBelow(repo, directory)}
    select folder, count(*) as files, coalesce(sum(lines), 0) as lines from files group by folder
    order by folder collate "C"`.execute(tx)
  return rows
}

/**
 * CTEs for the files below a directory: `rest` is the relative path, `folder` its directory part.
 */
function filesBelow(repo: RepositoryName, directory: string): RawBuilder<unknown> {
  const prefix = prefixOf(directory)
  return sql`graph as materialized (
      select id, commit_sha from code_graphs where repo = ${repo} and commit_sha is not null
    ), files as materialized (
      select id, path, rest, regexp_replace(rest, '[^/]*$', '') as folder,
        language, lines, complexity
      from code_files
      cross join lateral (select substr(path, char_length(${prefix}::text) + 1) as rest) as below
      where graph_id = (select id from graph) and kind = 'source'
        and starts_with(path, ${prefix}::text)
    )`
}

function prefixOf(directory: string): string {
  return directory === '' ? '' : `${directory}/`
}
