// Lists the formats whose text is checked although no grammar reads it.
import { containerFormat } from './container-format.ts'
import { gitlabFormat, workflowFormat } from './pipeline-format.ts'
import { shellFormat } from './shell-format.ts'
import { sqlFormat } from './sql-format.ts'
import { terraformFormat } from './terraform-format.ts'
import type { TextFormat } from './text-format.ts'

export const textFormats: readonly TextFormat[] = [
  shellFormat,
  containerFormat,
  sqlFormat,
  terraformFormat,
  workflowFormat,
  gitlabFormat,
]
