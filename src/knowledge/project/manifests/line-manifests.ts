// Reads manifests of Go, Python (older ones), Ruby, Java, .NET and make with patterns.
import { type ManifestParts, maxDependencies } from './project-manifest.ts'
import { moduleFile, pythonName } from './toml-manifests.ts'

const maxScripts = 20

export function readGoMod(text: string): ManifestParts {
  return {
    name: firstGroup(text, /^module\s+"?([^\s"]+)/m),
    dependencies: allGroups(
      text,
      /^(?:require )?\s*([\w.-]+\.[\w.-]+\/[^\s]+) v\d(?![^\n]*\/\/ indirect)[^\n]*$/gm,
    ),
  }
}

export function readRequirements(text: string): ManifestParts {
  const lines = text.split('\n', maxDependencies).filter((line) => /^\s*[A-Za-z]/.test(line))
  return { dependencies: lines.map(pythonName) }
}

/** Reads literal values of `setup.py` and `setup.cfg`, which are never executed. */
export function readSetup(text: string): ManifestParts {
  const required =
    /(?:install_requires|requires)\s{0,5}=\s{0,5}\[?([^\]]{0,8000})/.exec(text)?.[1] ?? ''
  const scripts = /(?:console|gui)_scripts["']?\s{0,5}[:=]([^\]}]{0,8000})/.exec(text)?.[1] ?? ''
  const field = (name: string) =>
    firstGroup(text, new RegExp(`^\\s{0,8}${name}\\s{0,5}=\\s{0,5}["']?([^"'\\n]{1,200})`, 'm'))
  return {
    name: field('name'),
    description: field('description'),
    license: field('license'),
    dependencies: allGroups(required, /^\s{0,12}["']?([A-Za-z][\w.-]{1,80})/gm).map(pythonName),
    entryPoints: allGroups(scripts, /=\s{0,9}([\w.]{1,150}:[A-Za-z_])/g)
      .slice(0, maxScripts)
      .flatMap((reference) => moduleFile(reference) ?? []),
  }
}

/** Reads a `Gemfile` or a gemspec. */
export function readGemfile(text: string): ManifestParts {
  const field = (name: string) =>
    firstGroup(
      text,
      new RegExp(`^\\s{0,8}\\w+\\.${name}\\s{0,5}=\\s{0,5}["']([^"'\\n]{1,200})`, 'm'),
    )
  return {
    name: field('name'),
    description: field('summary'),
    license: field('license'),
    dependencies: allGroups(
      text,
      /^\s{0,20}(?:gem|\w+\.add_(?:runtime_|development_)?dependency)[\s(]{1,5}["']([\w-]+)["']/gm,
    ),
  }
}

/** Reads Maven's `pom.xml`. The removed elements contain fields of other projects. */
export function readPom(text: string): ManifestParts {
  const own = text.replace(
    /<(parent|dependencies|dependencyManagement|build|profiles|plugins)>[\s\S]*?<\/\1>/g,
    '',
  )
  const pairs = text.matchAll(
    /<groupId>\s{0,9}([\w.-]{1,200})\s{0,9}<\/groupId>\s{0,40}<artifactId>\s{0,9}([\w.-]{1,200})/g,
  )
  return {
    name: firstGroup(own, /<artifactId>\s{0,9}([\w.-]{1,200})/),
    description: firstGroup(own, /<description>([^<]{1,500})<\/description>/),
    license: firstGroup(own, /<license>\s{0,40}<name>([^<]{1,100})/),
    dependencies: [...pairs].map(([, group, artifact]) => `${group}:${artifact}`),
  }
}

/** Reads a Gradle build in Groovy or Kotlin, or a version catalog. */
export function readGradle(text: string): ManifestParts {
  return {
    dependencies: [
      ...allGroups(text, /["']([\w.-]{2,100}:[\w.-]{1,100})(?::[^"'\n]{0,60})?["']/g),
      ...allGroups(text, /\bid[\s(]{1,3}["']([\w.-]{2,100})["']/g),
    ],
  }
}

/** Reads a .NET project; its SDK counts as a dependency. */
export function readProjectFile(text: string, name: string): ManifestParts {
  const packages = allGroups(
    text,
    /<(?:PackageReference|PackageVersion|FrameworkReference)\s{1,9}(?:Include|Update)="([\w.-]{1,200})"/g,
  )
  const sdk = firstGroup(text, /<Project\s{1,9}Sdk="([\w.-]{1,100})/)
  return {
    name: name.endsWith('proj') ? name.replace(/\.\w+$/, '') : null,
    description: firstGroup(text, /<Description>([^<]{1,500})<\/Description>/),
    license: firstGroup(text, /<PackageLicenseExpression>([^<]{1,100})/),
    dependencies: sdk === null ? packages : [sdk, ...packages],
  }
}

/** Reads the targets of make or just that have the name of a command, not of a file. */
export function readMakefile(text: string, name: string): ManifestParts {
  const program = /justfile/i.test(name) ? 'just' : 'make'
  const lines = text.split('\n', 3_000)
  const commands = lines.flatMap((line, index) => {
    const target = /^([a-z][\w-]{1,40})[^:=\n]{0,200}:(?!=)/i.exec(line)?.[1]
    if (target === undefined) return []
    const recipe = lines[index + 1] ?? ''
    return [
      {
        commandLine: `${program} ${target}`,
        script: /^\s/.test(recipe) ? recipe.trim().replace(/^[@-]+/, '') : '',
      },
    ]
  })
  return { commands }
}

function allGroups(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, group]) => group!)
}

function firstGroup(text: string, pattern: RegExp): string | null {
  return pattern.exec(text)?.[1]?.trim() || null
}
