// The rules of the static reviewer, in the order in which they are documented.

import { aliasingRules } from './aliasing-rules.ts'
import { argumentRules } from './argument-rules.ts'
import { arrayRules } from './array-rules.ts'
import { asyncRules } from './async-rules.ts'
import { branchRules } from './branch-rules.ts'
import { callRules } from './call-rules.ts'
import { callbackRules } from './callback-rules.ts'
import { captureRules } from './capture-rules.ts'
import { comparisonRules } from './comparison-rules.ts'
import { conditionRules } from './condition-rules.ts'
import { copyRules } from './copy-rules.ts'
import { cryptoRules } from './crypto-rules.ts'
import { defaultRules } from './default-rules.ts'
import { downloadRules } from './download-rules.ts'
import { environmentRules } from './environment-rules.ts'
import { errorRules } from './error-rules.ts'
import { exceptionRules } from './exception-rules.ts'
import { exportRules } from './export-rules.ts'
import { flowRules } from './flow-rules.ts'
import { formatRules } from './format-rules.ts'
import { goErrorRules } from './go-error-rules.ts'
import { goRules } from './go-rules.ts'
import { hookRules } from './hook-rules.ts'
import { hostPatternRules } from './host-pattern-rules.ts'
import { identityRules } from './identity-rules.ts'
import { indexRules } from './index-rules.ts'
import { infrastructureRules } from './infrastructure-rules.ts'
import { injectionRules } from './injection-rules.ts'
import { inputRules } from './input-rules.ts'
import { javaRules } from './java-rules.ts'
import { leftoverRules } from './leftover-rules.ts'
import { lockRules } from './lock-rules.ts'
import { loopRules } from './loop-rules.ts'
import { manifestRules } from './manifest-rules.ts'
import { memoryRules } from './memory-rules.ts'
import { nullRules } from './null-rules.ts'
import { packageRules } from './package-rules.ts'
import { precedenceRules } from './precedence-rules.ts'
import { promptInjectionRules } from './prompt-injection-rules.ts'
import { pythonRules } from './python-rules.ts'
import { reactRules } from './react-rules.ts'
import { recursionRules } from './recursion-rules.ts'
import { resourceRules } from './resource-rules.ts'
import { responseRules } from './response-rules.ts'
import { reviewSettingsRules } from './review-settings-rules.ts'
import type { Rule } from './rule.ts'
import { secretRules } from './secret-rules.ts'
import { sharedStateRules } from './shared-state-rules.ts'
import { signatureRules } from './signature-rules.ts'
import { spellingRules } from './spelling-rules.ts'
import { textRules } from './text-rules.ts'
import { timeRules } from './time-rules.ts'
import { tlsRules } from './tls-rules.ts'
import { trojanSourceRules } from './trojan-source-rules.ts'
import { trustRules } from './trust-rules.ts'
import { unitRules } from './unit-rules.ts'
import { untestedRules } from './untested-rules.ts'
import { unusedRules } from './unused-rules.ts'
import { valueRules } from './value-rules.ts'
import { workflowRules } from './workflow-rules.ts'

export const rules: readonly Rule[] = [
  ...asyncRules,
  ...callbackRules,
  ...sharedStateRules,
  ...lockRules,
  ...identityRules,
  ...comparisonRules,
  ...conditionRules,
  ...precedenceRules,
  ...nullRules,
  ...branchRules,
  ...copyRules,
  ...flowRules,
  ...loopRules,
  ...indexRules,
  ...valueRules,
  ...aliasingRules,
  ...captureRules,
  ...textRules,
  ...formatRules,
  ...callRules,
  ...environmentRules,
  ...argumentRules,
  ...recursionRules,
  ...arrayRules,
  ...timeRules,
  ...unitRules,
  ...errorRules,
  ...exceptionRules,
  ...memoryRules,
  ...goErrorRules,
  ...goRules,
  ...javaRules,
  ...pythonRules,
  ...resourceRules,
  ...responseRules,
  ...reactRules,
  ...hookRules,
  ...injectionRules,
  ...inputRules,
  ...cryptoRules,
  ...tlsRules,
  ...trustRules,
  ...hostPatternRules,
  ...secretRules,
  ...defaultRules,
  ...downloadRules,
  ...trojanSourceRules,
  ...promptInjectionRules,
  ...leftoverRules,
  ...spellingRules,
  ...unusedRules,
  ...infrastructureRules,
  ...workflowRules,
  ...manifestRules,
  ...packageRules,
  ...reviewSettingsRules,
  ...signatureRules,
  ...exportRules,
  ...untestedRules,
]
