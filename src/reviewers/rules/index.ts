// All rules of the static reviewer, in the order of their documentation.
import { asyncRules } from './async-rules.ts'
import { branchRules } from './branch-rules.ts'
import { callbackRules } from './callback-rules.ts'
import { comparisonRules } from './comparison-rules.ts'
import { conditionRules } from './condition-rules.ts'
import { errorRules } from './error-rules.ts'
import { identityRules } from './identity-rules.ts'
import { injectionRules } from './injection-rules.ts'
import { inputRules } from './input-rules.ts'
import { leftoverRules } from './leftover-rules.ts'
import { loopRules } from './loop-rules.ts'
import { protectionRules } from './protection-rules.ts'
import { resourceRules } from './resource-rules.ts'
import type { Rule } from './rule.ts'
import { secretRules } from './secret-rules.ts'
import { sharedStateRules } from './shared-state-rules.ts'
import { tlsRules } from './tls-rules.ts'
import { valueRules } from './value-rules.ts'
import { workflowRules } from './workflow-rules.ts'

export const rules: readonly Rule[] = [
  ...asyncRules,
  ...callbackRules,
  ...sharedStateRules,
  ...identityRules,
  ...comparisonRules,
  ...conditionRules,
  ...branchRules,
  ...loopRules,
  ...valueRules,
  ...errorRules,
  ...resourceRules,
  ...injectionRules,
  ...inputRules,
  ...protectionRules,
  ...tlsRules,
  ...secretRules,
  ...leftoverRules,
  ...workflowRules,
]
