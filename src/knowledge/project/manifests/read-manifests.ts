// Reads all package manifests of a repository.
import { filenameOf } from '../../../lib/tree-paths.ts'
import { toOneLine, truncateText } from '../plain-text.ts'
import { isSource, type Project, type ProjectFile, readSmallText, sortByDepth } from '../project.ts'
import { readComposerJson, readDenoJson, readPackageJson } from './json-manifests.ts'
import {
  readGemfile,
  readGoMod,
  readGradle,
  readMakefile,
  readPom,
  readProjectFile,
  readRequirements,
  readSetup,
} from './line-manifests.ts'
import {
  type ManifestReader,
  maxCommands,
  maxDependencies,
  type ProjectManifest,
} from './project-manifest.ts'
import { readCargoToml, readPipfile, readPyproject } from './toml-manifests.ts'

const formats: readonly (readonly [name: RegExp, kind: string, read: ManifestReader])[] = [
  [/^package\.json$/, 'npm package', readPackageJson],
  [/^deno\.jsonc?$/, 'Deno project', readDenoJson],
  [/^composer\.json$/, 'Composer package', readComposerJson],
  [/^pyproject\.toml$/, 'Python package', readPyproject],
  [/^Pipfile$/, 'Python project', readPipfile],
  [/^setup\.(py|cfg)$/, 'Python package', readSetup],
  [/^requirements[\w.-]*\.(txt|in)$/, 'Python requirements', readRequirements],
  [/^Cargo\.toml$/, 'Rust crate', readCargoToml],
  [/^go\.mod$/, 'Go module', readGoMod],
  [/^(Gemfile|.+\.gemspec)$/, 'Ruby project', readGemfile],
  [/^pom\.xml$/, 'Maven project', readPom],
  [/^build\.gradle(\.kts)?$|^libs\.versions\.toml$/, 'Gradle project', readGradle],
  [/\.(cs|fs|vb)proj$|^Directory\.Packages\.props$/, '.NET project', readProjectFile],
  [/^(GNUm|m|M)akefile$|^\.?[jJ]ustfile$/, 'Makefile', readMakefile],
]

/** Only the manifests nearest to the root are read. */
const maxManifests = 300

export function isProjectManifest(path: string): boolean {
  const name = filenameOf(path)
  return formats.some(([pattern]) => pattern.test(name))
}

/** Reads the manifests, without those of tests, nearest to the root first. */
export async function readManifests(project: Project): Promise<ProjectManifest[]> {
  const files = project.files.filter((file) => isSource(file) && isProjectManifest(file.path))
  const manifests: ProjectManifest[] = []
  for (const file of sortByDepth(files).slice(0, maxManifests)) {
    const manifest = await readManifest(project, file)
    if (manifest) manifests.push(manifest)
  }
  return manifests
}

async function readManifest(
  project: Project,
  file: ProjectFile,
): Promise<ProjectManifest | undefined> {
  const name = filenameOf(file.path)
  const format = formats.find(([pattern]) => pattern.test(name))
  const text = format && (await readSmallText(project, file))
  if (!format || text === undefined) return undefined
  const [, kind, read] = format
  const emptyParts = {
    name: null,
    description: null,
    license: null,
    dependencies: [],
    commands: [],
    entryPoints: [],
  }
  const parts = { ...emptyParts, ...read(text, name) }
  return {
    ...parts,
    path: file.path,
    kind,
    name: shorten(parts.name, 100),
    description: shorten(parts.description, 1000),
    license: shorten(parts.license, 60),
    dependencies: parts.dependencies.slice(0, maxDependencies),
    commands: parts.commands.slice(0, maxCommands).map(({ commandLine, script }) => ({
      commandLine: shorten(commandLine, 80),
      script: shorten(script, 300),
    })),
  }
}

function shorten<Text extends string | null>(text: Text, maxLength: number): Text {
  return (text === null ? null : truncateText(toOneLine(text), maxLength)) as Text
}
