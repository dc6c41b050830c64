// What a repository is made with: languages, frameworks, tools, commands, licences, entry points.
import type { NewMemory } from '../../domain/memory.ts'
import { isCode } from './component-type.ts'
import { type ConfiguredTool, findConfiguredTool } from './configured-tools.ts'
import { type Directory, topKeys } from './directories.ts'
import { type Framework, findFrameworks } from './find-frameworks.ts'
import { formatCount, formatDirectory, formatList, formatNumber } from './format-text.ts'
import type { ProjectManifest } from './manifests/project-manifest.ts'
import { truncateText } from './plain-text.ts'
import { directoryOf, nameOf, type Project, readSmallText } from './project.ts'
import { createProjectPattern } from './project-pattern.ts'

/** Directories whose frameworks, and whose commands, are told. */
const maxDirectories = 60

/** Patterns of the whole repository, and of the directories of its packages. */
export async function describeStack(
  project: Project,
  root: Directory,
  manifests: readonly ProjectManifest[],
  entryPoints: readonly string[],
): Promise<NewMemory[]> {
  const texts: [subject: string, path: string, text: string | undefined][] = [
    ['languages', '.', describeLanguages(root)],
    ['tools', '.', describeTools(project)],
    ['licence', '.', await describeLicense(project, manifests)],
    ['entry-points', '.', describeEntryPoints(entryPoints)],
    ['packages', '.', describePackages(manifests)],
  ]
  const common = new Set<string>()
  const runner = findRunner(project)
  for (const [path, own] of groupByDirectory(manifests)) {
    const frameworks = findFrameworks(own.flatMap(({ dependencies }) => dependencies))
    const others = frameworks.filter(({ name }) => !common.has(name))
    texts.push([`frameworks:${path}`, path, describeFrameworks(path, own, others)])
    texts.push([`commands:${path}`, path, describeCommands(path, own, runner)])
    // What holds for all isn't told again of each.
    if (path === '.') for (const { name } of frameworks) common.add(name)
  }
  return texts.flatMap(([subject, path, text]) =>
    text ? [createProjectPattern(project, subject, path, text)] : [],
  )
}

function describeLanguages({ total }: Directory): string | undefined {
  const code = new Map([...total.languages].filter(([language]) => isCode(language)))
  const all = [...code.values()].reduce((sum, bytes) => sum + bytes, 0)
  if (all === 0) return undefined
  const shares = topKeys(code, 8).map((name) => ({ name, share: (100 * code.get(name)!) / all }))
  const told = shares.filter(({ share }, index) => index === 0 || share >= 1)
  const list = told.map(
    ({ name, share }) => `${name} (${share >= 99.5 ? 'over 99 %' : `${Math.round(share)} %`})`,
  )
  const only = told.length === 1 && shares.length === 1
  const languages = only ? told[0]!.name : formatList(list)
  return `The code is ${languages}, by bytes: ${formatCount(total.written, 'file')} that people write, ${formatNumber(total.tests)} of them for tests.`
}

function groupByDirectory(
  manifests: readonly ProjectManifest[],
): (readonly [string, readonly ProjectManifest[]])[] {
  const groups = new Map<string, ProjectManifest[]>()
  for (const manifest of manifests) {
    const path = directoryOf(manifest.path)
    groups.set(path, [...(groups.get(path) ?? []), manifest])
  }
  return [...groups].slice(0, maxDirectories)
}

function describeFrameworks(
  path: string,
  manifests: readonly ProjectManifest[],
  found: readonly Framework[],
): string | undefined {
  const isTelling = found.some(
    ({ role }) => path === '.' || !['tests', 'build', 'checks'].includes(role),
  )
  if (!isTelling) return undefined
  const roles = Map.groupBy(found, ({ role }) => role)
  const parts = [...roles].map(([role, frameworks]) => {
    const names = frameworks.map(({ name }) => name)
    return `${formatList(names, 8)} (${role})`
  })
  const place = path === '.' ? 'The repository' : path
  return `${place} is made with ${parts.join('; ')}, by ${formatList(
    manifests.map((manifest) => nameOf(manifest.path)),
    4,
  )}.`
}

/** Commands that a contributor types; the others are parts of these. */
const notableCommands = new RegExp(
  [
    String.raw`^(build|compile|test|lint|check|format|fmt|fix|dev|start|serve|run|watch|typecheck|types|tsc|e2e|bench|coverage|docs|migrate|generate|install|setup|clean|release|ci)\b`,
    String.raw`\b(test|lint|types)$`,
  ].join('|'),
  'i',
)

const lockFiles: Readonly<Record<string, string>> = {
  'bun.lock': 'bun run',
  'bun.lockb': 'bun run',
  'pnpm-lock.yaml': 'pnpm run',
  'yarn.lock': 'yarn run',
}

/** What runs the scripts of package.json here. */
function findRunner({ files }: Project): string {
  const lock = files.find(({ path }) => lockFiles[path] !== undefined)
  return (lock && lockFiles[lock.path]) ?? 'npm run'
}

function describeCommands(
  path: string,
  manifests: readonly ProjectManifest[],
  runner: string,
): string | undefined {
  const commands = manifests.flatMap(({ commands: own }) => own)
  const told = commands
    .filter(({ commandLine: typed }) =>
      notableCommands.test(typed.slice(typed.lastIndexOf(' ') + 1)),
    )
    .slice(0, 14)
    .map(({ commandLine: typed, script: runs }) => {
      const shown = truncateText(runs, 70)
      const name = typed.replace(/^npm run /, `${runner} `)
      return shown === '' ? name : `${name} (${shown})`
    })
  return told.length === 0
    ? undefined
    : `Commands${path === '.' ? '' : ` in ${path}`}: ${told.join('; ')}.`
}

const toolUses: readonly (readonly [ConfiguredTool['use'], string])[] = [
  ['checks', 'Checked by'],
  ['tests', 'Tested with'],
  ['build', 'Built with'],
  ['packages', 'Packages are kept with'],
  ['continuous integration', 'Continuous integration:'],
  ['containers', 'Containers:'],
  ['deployment', 'Deployed with'],
]

function describeTools({ files }: Project): string | undefined {
  const found = new Map<string, ConfiguredTool>()
  for (const { path, isTest, kind } of files) {
    const tool = isTest || kind === 'vendored' ? undefined : findConfiguredTool(path)
    if (tool) found.set(tool.name, tool)
  }
  const sentences = toolUses.flatMap(([use, words]) => {
    const names = [...found.values()].filter((tool) => tool.use === use).map(({ name }) => name)
    return names.length === 0 ? [] : [`${words} ${formatList(names)}.`]
  })
  return sentences.length === 0
    ? undefined
    : `By its files of configuration. ${sentences.join(' ')}`
}

const licenses: readonly (readonly [RegExp, string])[] = [
  [/\bApache License\b[\s\S]{0,40}Version 2\.0/, 'Apache-2.0'],
  [/\bMIT License\b|Permission is hereby granted, free of charge, to any person obtaining/, 'MIT'],
  [/GNU AFFERO GENERAL PUBLIC LICENSE/i, 'AGPL-3.0'],
  [/GNU LESSER GENERAL PUBLIC LICENSE/i, 'LGPL'],
  [/GNU GENERAL PUBLIC LICENSE[\s\S]{0,40}Version 3/i, 'GPL-3.0'],
  [/GNU GENERAL PUBLIC LICENSE[\s\S]{0,40}Version 2/i, 'GPL-2.0'],
  [/Mozilla Public License,?\s+Version 2\.0/i, 'MPL-2.0'],
  [
    /Redistribution and use in source and binary forms[\s\S]{0,1500}Neither the name/,
    'BSD-3-Clause',
  ],
  [/Redistribution and use in source and binary forms/, 'BSD-2-Clause'],
  [/provided 'as-is', without any express or implied/, 'Zlib'],
  [/Permission to use, copy, modify, and\/or distribute this software/, 'ISC'],
  [/free and unencumbered software released into the public domain/, 'Unlicense'],
  [/Business Source License/i, 'BUSL'],
  [/Elastic License/i, 'Elastic'],
]

/** The one that is named first: some name others further down. */
function findLicense(text: string): string | undefined {
  const found = licenses.flatMap(([pattern, name]) => {
    const index = pattern.exec(text)?.index
    return index === undefined ? [] : [{ name, index }]
  })
  return found.sort((one, other) => one.index - other.index)[0]?.name
}

async function describeLicense(
  project: Project,
  manifests: readonly ProjectManifest[],
): Promise<string | undefined> {
  const files = project.files
    .filter(({ path }) => /^(un)?(licen[cs]e|copying)([.-][\w.-]+)?$/i.test(path))
    .slice(0, 5)
  const said: string[] = []
  for (const file of files) {
    const text = (await readSmallText(project, file, 8_000)) ?? ''
    const known = findLicense(text)
    said.push(known ? `${known} (${file.path})` : `what ${file.path} says`)
  }
  const declared = manifests.flatMap(({ license: licence }) => licence ?? [])
  const named = [...new Set(declared)].filter(
    (name) => !said.some((licence) => licence.startsWith(name)),
  )
  if (said.length === 0 && named.length === 0) return undefined
  if (said.length === 0) return `Manifests name as licence ${formatList(named, 5)}.`
  return `The licence is ${formatList(said)}${named.length > 0 ? `; manifests name ${formatList(named, 5)}` : ''}.`
}

function describeEntryPoints(entryPoints: readonly string[]): string | undefined {
  return entryPoints.length === 0
    ? undefined
    : `Entry points, by manifests and names: ${formatList(entryPoints, 15)}.`
}

/** Where there are several packages in one repository. */
function describePackages(manifests: readonly ProjectManifest[]): string | undefined {
  const names = new Map<string, string>()
  for (const { path, name, kind } of manifests) {
    if (name !== null && kind !== 'Makefile' && !names.has(directoryOf(path)))
      names.set(directoryOf(path), name)
  }
  if (names.size < 2) return undefined
  const list = [...names].map(([path, name]) =>
    path !== '.' && name.endsWith(path) ? path : `${name} in ${formatDirectory(path)}`,
  )
  return truncateText(
    `The repository holds ${formatCount(names.size, 'package')}: ${formatList(list, 15)}.`,
    700,
  )
}
