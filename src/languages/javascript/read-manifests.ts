// Reads the manifests that imports of JavaScript and TypeScript depend on.
import { filenameOf } from '../../lib/tree-paths.ts'
import type { ManifestReader } from '../language.ts'
import { listExtended, readScriptConfigs } from './read-configs.ts'
import { readScriptPackages } from './read-packages.ts'

const packageJson = /^package\.json$/
const workspaceFile = /^(pnpm-workspace\.yaml|lerna\.json)$/
const scriptConfig = /^[tj]sconfig/

export const scriptManifests: ManifestReader = {
  extending: { filename: scriptConfig, list: listExtended },
  read(manifests, extended) {
    const select = (name: RegExp) => manifests.filter(({ path }) => name.test(filenameOf(path)))
    const packages = select(packageJson)
    return {
      scriptConfigs: readScriptConfigs(select(scriptConfig), extended, packages),
      extended: extended.map(({ path }) => path),
      scriptPackages: readScriptPackages(packages, select(workspaceFile)),
    }
  },
}
