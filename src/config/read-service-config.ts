// Reads the configuration of the service itself.
import { resolve } from 'node:path'
import type { DatabaseConfig, ServiceConfig } from './config.ts'
import { pickChildVariables } from './environment.ts'
import {
  accessVariables,
  databaseVariables,
  graphVariables,
  httpVariables,
  logVariables,
  mcpVariables,
  memoryVariables,
  metricsVariables,
  notificationVariables,
  processVariables,
  reviewVariables,
  secretVariables,
} from './service-variables.ts'
import type { VariableReader } from './variable-reader.ts'

export function readServiceConfig(reader: VariableReader): ServiceConfig {
  const http = reader.read(httpVariables)
  const processValues = reader.read(processVariables)
  const database = reader.read(databaseVariables)
  const secrets = reader.read(secretVariables)
  const mcp = reader.read(mcpVariables)
  const metrics = reader.read(metricsVariables)
  if (database.url !== null && secrets.current === null) {
    reader.reportContradiction(
      'SECRET_KEY is required with DATABASE_URL, the same for every process (openssl rand -hex 32)',
    )
  }
  return {
    ...processValues,
    ...reader.read(accessVariables),
    ...reader.read(memoryVariables),
    http: {
      ...http,
      publicUrl: http.publicUrl ?? `http://localhost:${http.port}`,
      trustedProxies: http.trustedProxies ?? [],
    },
    database: chooseDatabase(database, processValues.dataDir),
    secrets: { ...secrets, isGenerated: secrets.current === null, old: secrets.old ?? [] },
    review: reader.read(reviewVariables),
    graph: reader.read(graphVariables),
    mcp: { ...mcp, allowedHosts: mcp.allowedHosts ?? [] },
    metrics: metrics.port === null ? null : { host: metrics.host, port: metrics.port },
    notifications: readNotifications(reader),
    log: reader.read(logVariables),
    childEnvironment: pickChildVariables(reader.environment),
  }
}

function readNotifications(reader: VariableReader): ServiceConfig['notifications'] {
  const { smtpUrl: url, smtpFrom: from, hosts } = reader.read(notificationVariables)
  if ((url === null) !== (from === null))
    reader.reportContradiction('SMTP_URL and SMTP_FROM must be set together')
  return { mail: url === null || from === null ? null : { url, from }, hosts: hosts ?? [] }
}

function chooseDatabase(
  { url, poolSize }: { readonly url: string | null; readonly poolSize: number },
  dataDir: string,
): DatabaseConfig {
  return url === null
    ? { engine: 'embedded', directory: resolve(dataDir, 'database') }
    : { engine: 'postgresql', url, poolSize }
}
