// The map of a repository's code: what there is below a directory, how large it is, how often reviews met it, and who uses whom.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { limitRows } from '../db/limit-rows.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { chooseMapParts, type Folder } from './choose-map-parts.ts'

/** A directory with all below it, or a file. */
export interface CodeMapNode {
  readonly path: string
  readonly kind: 'directory' | 'file'
  readonly files: number
  readonly lines: number
  /** That most of its lines are in; null where nothing is known about any. */
  readonly language: string | null
  readonly complexity: number
  /** Reviewed pull requests that touched it. */
  readonly touches: number
  /** Files in it of which a review of a change to them asked for changes. */
  readonly risks: number
  /** How often it uses files that are no part of the map's nodes, and is used by them. */
  readonly usesElsewhere: number
  readonly usedElsewhere: number
}

/** That files of one node use files of another one. */
export interface CodeMapEdge {
  readonly source: string
  readonly target: string
  /** Imports, counted by what they name. */
  readonly imports: number
  /** Calls, references and inheritance. */
  readonly calls: number
}

export interface CodeMap {
  /** Of the default branch; null where there is no code graph. */
  readonly commit: string | null
  /** Most lines first, then by path. */
  readonly nodes: readonly CodeMapNode[]
  /** The strongest first. */
  readonly edges: readonly CodeMapEdge[]
  /** What is beyond the bounds. */
  readonly leftOut: { readonly nodes: number; readonly edges: number }
}

export const emptyCodeMap: CodeMap = {
  commit: null,
  nodes: [],
  edges: [],
  leftOut: { nodes: 0, edges: 0 },
}

/** What is right below the directory is taken apart up to as many as people can look at. */
const targetNodes = 60
const maxNodes = 300
const maxEdges = 1500

/**
 * Reads the map. Files that nobody writes by hand are left out, as of the figures of touched files.
 *
 * @param tx a transaction in which all reads see the same
 * @param directory without a slash at its end; empty for all of the repository
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
      select id, path, rest, language, coalesce(lines, 0) as lines, coalesce(complexity, 0) as complexity,
        coalesce(part, rest) as name
      from files join unnest(
        ${parts.map(([folder]) => folder)}::text[], ${parts.map(([, part]) => part)}::text[]) as parts (folder, part)
        using (folder)
    ), languages as materialized (
      select name, language, count(*) as files, sum(lines) as lines, sum(complexity) as complexity,
        bool_or(rest <> name) as is_directory
      from named group by name, language
    ), ranked as materialized (
      select name, sum(files) as files, sum(lines) as lines, sum(complexity) as complexity,
        (array_agg(language order by lines desc, language) filter (where language is not null))[1] as language,
        bool_or(is_directory) as is_directory,
        row_number() over (order by sum(lines) desc, name collate "C") as node
      from languages group by name
    ), placed as materialized (
      select id, path, node from named join ranked using (name) where node <= ${sql.lit(maxNodes)}
    ), met as materialized (
      select node, path, pr_number, latest, requested_changes
      from placed join pull_request_files using (path) where repo = ${repo}
    ), touched as materialized (
      select node, count(*) as touches from (select distinct node, pr_number from met where latest) as once group by node
    ), risky as materialized (
      select node, count(*) as risks from (select distinct node, path from met where requested_changes) as once group by node
    ), links as materialized (
      select source.node as source, target.node as target,
        coalesce(sum(sites) filter (where kind = 'import'), 0) as imports,
        coalesce(sum(sites) filter (where kind <> 'import'), 0) as calls
      from placed source join code_edges on source_id = source.id left join placed target on target.id = target_id
      where source.node is distinct from target.node
      group by source.node, target.node
    ), incoming as materialized (
      select target.node as target, sum(sites) as sites
      from placed target join code_edges on target_id = target.id left join placed source on source.id = source_id
      where source.id is null
      group by target.node
    ), edges as (
      select source, target, imports, calls from links
      where target is not null order by imports + calls desc, source, target ${limitRows(maxEdges)}
    ), nodes as (
      select ${prefixOf(directory)}::text || name as path, case when is_directory then 'directory' else 'file' end as kind,
        files, lines, language, complexity, coalesce(touches, 0) as touches, coalesce(risks, 0) as risks,
        coalesce(links.imports + links.calls, 0) as "usesElsewhere",
        coalesce(incoming.sites, 0) as "usedElsewhere"
      from ranked left join touched using (node) left join risky using (node)
      left join links on links.source = node and links.target is null
      left join incoming on incoming.target = node
      where node <= ${sql.lit(maxNodes)} order by node
    )
    select (select commit_sha from graph) as commit,
      (select coalesce(json_agg(nodes), '[]') from nodes) as nodes,
      (select coalesce(json_agg(edges), '[]') from edges) as edges,
      json_build_object(
        'nodes', (select count(*) from ranked where node > ${sql.lit(maxNodes)}),
        'edges', (select greatest(count(*) - ${sql.lit(maxEdges)}, 0) from links where target is not null)
      ) as "leftOut"`.execute(tx)
  return nameEdges(rows[0] as CodeMap & { edges: readonly NumberedEdge[] })
}

/** As the database tells it: nodes by their place among the nodes, from 1. */
interface NumberedEdge extends Omit<CodeMapEdge, 'source' | 'target'> {
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

/** The files below a directory, with `rest`, their path from there, and `folder`, that path without their name. */
function filesBelow(repo: RepositoryName, directory: string): RawBuilder<unknown> {
  const prefix = prefixOf(directory)
  return sql`graph as materialized (
      select id, commit_sha from code_graphs where repo = ${repo} and commit_sha is not null
    ), files as materialized (
      select id, path, rest, regexp_replace(rest, '[^/]*$', '') as folder, language, lines, complexity
      from code_files cross join lateral (select substr(path, char_length(${prefix}::text) + 1) as rest) as below
      where graph_id = (select id from graph) and kind = 'source' and starts_with(path, ${prefix}::text)
    )`
}

function prefixOf(directory: string): string {
  return directory === '' ? '' : `${directory}/`
}
