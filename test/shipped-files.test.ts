// Tests of the deployment files: Docker Compose, the image, and the lock files.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig, variableGroups } from '../src/read-config.ts'
import { publicHosts } from '../src/reviewers/rules/dependency-manifest.ts'
import { checkMcp } from '../src/workflows/diagnose/check-mcp.ts'

const [npm] = publicHosts.npm
const root = new URL('../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** The variables that an operator has to write into `.env`. */
const given = {
  POSTGRES_PASSWORD: 'password0123456789',
  SECRET_KEY: 'k'.repeat(32),
  WEBHOOK_SECRET: 'a secret of the tests',
}

/** Substitutes variables like Docker Compose: `${NAME}`, `${NAME:-default}`, `${NAME:?message}`. */
function interpolate(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_, name: string, kind?: string, word = '') => {
      const value = env[name]
      if (value) return value
      if (kind === '?') throw new Error(`required variable ${name} is missing a value: ${word}`)
      return word
    },
  )
}

/** Returns the environment of a service of compose.yaml. */
function environmentOf(
  service: string,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const compose = parse(interpolate(read('compose.yaml'), env), { merge: true })
  return compose.services[service].environment
}

const chart = fileURLToPath(new URL('deploy/helm', root))
const runHelm = (args: readonly string[]) =>
  spawnSync('helm', args as string[], { cwd: chart, encoding: 'utf8' })

describe.skipIf(runHelm(['version']).error)('the Helm chart, where helm is installed', () => {
  const values = [
    '--set',
    'image.repository=umpire',
    '--set',
    'env.PUBLIC_URL=https://umpire.example',
  ]
  const ingress = ['--set', 'ingress.enabled=true', '--set', 'ingress.host=umpire.example']

  it('is valid', () => {
    const { status, stdout } = runHelm(['lint', '--strict', '.', ...values])
    expect([status, stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')])
  })

  it('starts the two parts without privileges, with the secret and the variables', () => {
    const { stdout } = runHelm(['template', 'one', '.', ...values, ...ingress])
    const documents = parseAllDocuments(stdout).map((document) => document.toJS())
    expect(documents.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
      'Deployment one-web',
      'Deployment one-worker',
      'Ingress one',
      'Service one',
    ])
    const deployments = documents.filter(({ kind }) => kind === 'Deployment')
    for (const { metadata, spec } of deployments) {
      const [container] = spec.template.spec.containers
      const role = metadata.name === 'one-web' ? '--no-worker' : '--worker-only'
      expect(container).toMatchObject({
        image: 'umpire:0.1.0',
        args: ['serve', role],
        envFrom: [{ secretRef: { name: 'umpire' } }],
        env: expect.arrayContaining([{ name: 'MCP_ACCESS', value: 'token' }]),
        securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
      })
    }
  })

  it.each(['image.repository', 'env.PUBLIC_URL'])('requires %s', (name) => {
    const { status, stderr } = runHelm(['template', 'one', '.', ...values, '--set', `${name}=`])
    expect([status, stderr]).toEqual([1, expect.stringContaining(`${name} is required`)])
  })
})

describe('compose.yaml', () => {
  it.each(Object.keys(given))('requires %s and reports it when missing', (name) => {
    const { [name]: _, ...rest } = given as Record<string, string>
    expect(() => environmentOf('web', rest)).toThrow(
      `${name} is missing a value: set ${name} in .env`,
    )
  })

  it.each(['web', 'worker'])(
    'case 86: gives %s signed deliveries, and an MCP server that requires a token',
    async (service) => {
      const environment = environmentOf(service, given)
      expect(environment.MCP_ACCESS).toBe('token')
      const config = await readConfig({ PUBLIC_URL: 'https://umpire.example', ...environment })
      expect(config.fallback.webhookSecret).toBe(given.WEBHOOK_SECRET)
      expect(checkMcp(config)).toMatchObject({ state: 'ok' })
    },
  )

  it('sets only variables that exist, and stops later than the service', async () => {
    const names = Object.values(variableGroups).flatMap(({ variables }) =>
      variables.map(({ name }) => name),
    )
    const compose = parse(interpolate(read('compose.yaml'), given), { merge: true })
    for (const service of ['web', 'worker']) {
      const { environment, stop_grace_period: period, depends_on } = compose.services[service]
      expect(names).toEqual(expect.arrayContaining(Object.keys(environment)))
      const { review } = await readConfig({ PUBLIC_URL: 'https://umpire.example', ...environment })
      expect(period).toMatch(/^\d+s$/)
      expect(Number.parseInt(period, 10)).toBeGreaterThan(review.shutdownGraceSeconds)
      expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(Object.keys(depends_on)))
    }
    const volumes = Object.values(compose.services).flatMap(
      (service) => (service as { volumes?: string[] }).volumes ?? [],
    )
    expect(Object.keys(compose.volumes)).toEqual(volumes.map((volume) => volume.split(':')[0]))
  })

  it('pins images by digest', () => {
    const images = { POSTGRES_IMAGE: 'postgres@sha256:abc', NODE_IMAGE: 'node@sha256:def' }
    const { services } = parse(interpolate(read('compose.yaml'), { ...given, ...images }), {
      merge: true,
    })
    expect(services.database.image).toBe(images.POSTGRES_IMAGE)
    for (const name of ['web', 'worker'])
      expect(services[name].build.args.NODE_IMAGE).toBe(images.NODE_IMAGE)
    const bases = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
    expect(new Set(bases)).toEqual(new Set([`\${NODE_IMAGE}`]))
  })
})

interface LockedPackage {
  readonly integrity?: string
  readonly resolved?: string
  readonly link?: boolean
  /** The package is in the archive of another one, whose hash covers it. */
  readonly inBundle?: boolean
}

const lockFiles = globSync('**/package-lock.json', {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
})

describe('the lock files', () => {
  it('lists those of the service, the page, the benchmarks and the MCP clients', () => {
    expect(lockFiles.sort()).toEqual([
      'bench/package-lock.json',
      'package-lock.json',
      'test/mcp-clients/package-lock.json',
      'web/package-lock.json',
    ])
  })

  it.each(lockFiles)(
    '%s pins the hash of every package and uses only the public registry',
    (file) => {
      const { packages } = JSON.parse(read(file)) as { packages: Record<string, LockedPackage> }
      const locked = Object.entries(packages).filter(([path]) => path !== '')
      expect(locked.length).toBeGreaterThan(0)
      const unproven = locked.filter(
        ([, { integrity, inBundle }]) =>
          !inBundle && !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''),
      )
      expect(unproven.map(([path]) => path)).toEqual([])
      const foreign = locked.filter(
        ([, { resolved }]) => resolved !== undefined && !resolved.startsWith(`https://${npm}/`),
      )
      expect(foreign.map(([path]) => path)).toEqual([])
    },
  )
})
