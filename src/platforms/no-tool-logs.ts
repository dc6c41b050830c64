// What an adapter does whose platform has neither code scanning nor readable artifacts.
import { PlatformError } from '../domain/errors.ts'
import type { Platform, PlatformLimits } from './platform.ts'

type ToolLogCalls = Pick<Platform, 'listAnalyses' | 'getAnalysis' | 'listArtifacts' | 'getArtifact'>

/** Lists nothing, and refuses downloads with the reason. */
export function withoutToolLogs(
  limits: Pick<PlatformLimits, 'codeScanning' | 'artifacts'>,
): ToolLogCalls {
  const refuse = (limit: PlatformLimits['artifacts']) => async () => {
    throw new PlatformError('platform_refused', limit === true ? '' : limit.reason)
  }
  return {
    listAnalyses: async () => [],
    getAnalysis: refuse(limits.codeScanning),
    listArtifacts: async () => ({ artifacts: [], mayGrow: false }),
    getArtifact: refuse(limits.artifacts),
  }
}
