// Describes a repository's languages, frameworks, tools, commands, license and entry points.
import { sortByCount } from '../../lib/count-each.ts'
import { longPattern } from '../../lib/long-pattern.ts'
import { formatCount, formatNumber } from '../../lib/text.ts'
import { directoryOf, filenameOf } from '../../lib/tree-paths.ts'
import { isCode } from './component-type.ts'
import { type ConfiguredTool, findConfiguredTool } from './configured-tools.ts'
import type { Directory } from './directories.ts'
import { type Framework, findFrameworks } from './find-frameworks.ts'
import { formatDirectory, formatList } from './format-text.ts'
import type { ProjectManifest } from './manifests/project-manifest.ts'
import { truncateText } from './plain-text.ts'
import { createPattern, type Description, type Project, readSmallText } from './project.ts'

/** The number of directories whose frameworks and commands are described. */
const maxDirectories = 60

/** Creates patterns of the whole repository, and of the directories of its packages. */
export async function describeStack(
  project: Project,
  root: Directory,
  manifests: readonly ProjectManifest[],
  entryPoints: readonly string[],
): Promise<Description[]> {
  const texts: [subject: string, text: string | undefined, path?: string][] = [
    ['languages', describeLanguages(root)],
    ['tools', describeTools(project)],
    ['licence', await describeLicense(project, manifests)],
    ['entry-points', describeEntryPoints(entryPoints)],
    ['packages', describePackages(manifests)],
  ]
  const rootFrameworks = new Set<string>()
  const runner = findRunner(project)
  const byDirectory = Map.groupBy(manifests, ({ path }) => directoryOf(path))
  for (const [path, group] of [...byDirectory].slice(0, maxDirectories)) {
    const frameworks = findFrameworks(group.flatMap(({ dependencies }) => dependencies))
    const others = frameworks.filter(({ name }) => !rootFrameworks.has(name))
    texts.push([`frameworks:${path}`, describeFrameworks(path, group, others), path])
    texts.push([`commands:${path}`, describeCommands(path, group, runner), path])
    // Frameworks of the root aren't repeated for each package.
    if (path === '.') for (const { name } of frameworks) rootFrameworks.add(name)
  }
  return texts.flatMap(([subject, text, path]) => (text ? createPattern(subject, text, path) : []))
}

function describeLanguages({ total }: Directory): string | undefined {
  const code = sortByCount(total.languages).filter(([language]) => isCode(language))
  const allBytes = code.reduce((sum, [, bytes]) => sum + bytes, 0)
  if (allBytes === 0) return undefined
  const list = code
    .slice(0, 8)
    .filter(([, bytes], index) => index === 0 || bytes >= allBytes / 100)
    .map(([name, bytes]) => `${name} (${formatPercent((100 * bytes) / allBytes)})`)
  const languages = code.length === 1 ? code[0]![0] : formatList(list)
  const files = `${formatCount(total.written, 'file')} that people write`
  const tests = `${formatNumber(total.tests)} of them for tests`
  return `Languages by size: ${languages}. There are ${files}, ${tests}.`
}

function formatPercent(percent: number): string {
  return percent >= 99.5 ? 'over 99%' : `${Math.round(percent)}%`
}

function describeFrameworks(
  path: string,
  manifests: readonly ProjectManifest[],
  frameworks: readonly Framework[],
): string | undefined {
  const areNotable = frameworks.some(
    ({ role }) => path === '.' || !['tests', 'build', 'checks'].includes(role),
  )
  if (!areNotable) return undefined
  const byRole = Map.groupBy(frameworks, ({ role }) => role)
  const groups = [...byRole].map(([role, group]) => {
    const names = group.map(({ name }) => name)
    return `${formatList(names, 8)} (${role})`
  })
  const subject = path === '.' ? 'The repository' : path
  const sources = manifests.map((manifest) => filenameOf(manifest.path))
  return `${subject} is made with ${groups.join('; ')}, by ${formatList(sources, 4)}.`
}

/** Commands that contributors run; other commands are usually parts of these. */
const notableCommands = longPattern('i')`
  ^(build|compile|test|lint|check|format|fmt|fix|dev|start|serve|run|watch|typecheck|types|tsc|e2e|bench|coverage|docs|migrate|generate|install|setup|clean|release|ci)\b
  |\b(test|lint|types)$`

const lockFiles: Readonly<Record<string, string>> = {
  'bun.lock': 'bun run',
  'bun.lockb': 'bun run',
  'pnpm-lock.yaml': 'pnpm run',
  'yarn.lock': 'yarn run',
}

/** Returns the command that runs scripts of package.json, by the package manager's lock file. */
function findRunner({ files }: Project): string {
  const lock = files.find(({ path }) => lockFiles[path] !== undefined)
  return (lock && lockFiles[lock.path]) ?? 'npm run'
}

function describeCommands(
  path: string,
  manifests: readonly ProjectManifest[],
  runner: string,
): string | undefined {
  const commands = manifests.flatMap((manifest) => manifest.commands)
  const notable = commands.filter(({ commandLine }) => {
    const name = commandLine.slice(commandLine.lastIndexOf(' ') + 1)
    return notableCommands.test(name)
  })
  if (notable.length === 0) return undefined
  const list = notable.slice(0, 14).map(({ commandLine, script }) => {
    const command = commandLine.replace(/^npm run /, `${runner} `)
    return script === '' ? command : `${command} (${truncateText(script, 70)})`
  })
  const location = path === '.' ? '' : ` in ${path}`
  return `Commands${location}: ${list.join('; ')}.`
}

const toolUses: readonly (readonly [use: ConfiguredTool['use'], phrase: string])[] = [
  ['checks', 'Checked by'],
  ['tests', 'Tested with'],
  ['build', 'Built with'],
  ['packages', 'Packages are managed with'],
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
  const sentences = toolUses.flatMap(([use, phrase]) => {
    const names = [...found.values()].filter((tool) => tool.use === use).map(({ name }) => name)
    return names.length === 0 ? [] : [`${phrase} ${formatList(names)}.`]
  })
  return sentences.length === 0 ? undefined : `From its configuration files. ${sentences.join(' ')}`
}

const licensePatterns: readonly (readonly [pattern: RegExp, name: string])[] = [
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

/** Returns the license that is named first, because some licenses name others in their text. */
function findLicense(text: string): string | undefined {
  const found = licensePatterns.flatMap(([pattern, name]) => {
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
  const licenses: string[] = []
  for (const file of files) {
    const text = (await readSmallText(project, file, 8_000)) ?? ''
    const name = findLicense(text)
    licenses.push(name ? `${name} (${file.path})` : `the text of ${file.path}`)
  }
  const declared = new Set(manifests.flatMap(({ license }) => license ?? []))
  const others = [...declared].filter(
    (name) => !licenses.some((license) => license.startsWith(name)),
  )
  if (licenses.length === 0 && others.length === 0) return undefined
  if (licenses.length === 0) return `Manifests name as license ${formatList(others, 5)}.`
  const inManifests = others.length > 0 ? `; manifests name ${formatList(others, 5)}` : ''
  return `The license is ${formatList(licenses)}${inManifests}.`
}

function describeEntryPoints(entryPoints: readonly string[]): string | undefined {
  return entryPoints.length === 0
    ? undefined
    : `Entry points, by manifests and names: ${formatList(entryPoints, 15)}.`
}

/** Lists the packages of a repository that has several. */
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
