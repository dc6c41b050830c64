// Defines the parts of SARIF 2.1.0 logs that are read. Anything else in them is ignored.
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/
import { z } from 'zod'

const index = z.int().min(0).catch(-1).default(-1)

const message = z.object({
  text: z.string().optional().catch(undefined),
  id: z.string().optional().catch(undefined),
  arguments: z.array(z.string()).catch([]).default([]),
})

const artifactLocation = z.object({
  uri: z.string().optional().catch(undefined),
  uriBaseId: z.string().optional().catch(undefined),
  index,
})
export type ArtifactLocation = z.infer<typeof artifactLocation>

const rule = z.object({
  id: z.string().catch(''),
  helpUri: z.string().optional().catch(undefined),
  messageStrings: z
    .record(z.string(), z.object({ text: z.string() }))
    .catch({})
    .default({}),
  defaultConfiguration: z
    .object({ level: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
  properties: z
    .object({
      tags: z.array(z.string()).catch([]).default([]),
      precision: z.string().optional().catch(undefined),
      'security-severity': z.coerce.number().min(0).max(10).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
})
export type SarifRule = z.infer<typeof rule>

const component = z.object({
  name: z.string().catch(''),
  rules: z.array(rule).catch([]).default([]),
})

export const sarifResult = z.object({
  ruleId: z.string().optional().catch(undefined),
  ruleIndex: index,
  rule: z
    .object({
      id: z.string().optional().catch(undefined),
      index,
      toolComponent: z.object({ index }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  kind: z.string().catch('fail').default('fail'),
  level: z.string().optional().catch(undefined),
  baselineState: z.string().optional().catch(undefined),
  suppressions: z
    .array(z.object({ status: z.string().catch('accepted').default('accepted') }))
    .catch([])
    .default([]),
  message,
  locations: z
    .array(
      z.object({
        physicalLocation: z.object({
          artifactLocation,
          region: z.object({
            startLine: z.int().min(1),
            endLine: z.int().min(1).optional().catch(undefined),
          }),
        }),
      }),
    )
    .min(1),
})
export type SarifResult = z.infer<typeof sarifResult>

const run = z.object({
  tool: z.object({
    driver: component,
    extensions: z.array(component).catch([]).default([]),
  }),
  originalUriBaseIds: z.record(z.string(), artifactLocation).catch({}).default({}),
  artifacts: z
    .array(z.object({ location: artifactLocation.optional().catch(undefined) }))
    .catch([])
    .default([]),
  // Each is read on its own, so that one that can't be read hides no other.
  results: z.array(z.unknown()).nullish(),
})
export type SarifRun = z.infer<typeof run>

export const sarifLog = z.object({ version: z.literal('2.1.0'), runs: z.array(run) })
