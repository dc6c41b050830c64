// Rules about imports and local variables that nothing uses, and values that nothing reads.
import type { Node } from 'web-tree-sitter'
import { deadValues } from '../../languages/rules/dead-values.ts'
import { functionAround } from '../../languages/rules/functions.ts'
import { droppedNarrowing } from '../../languages/rules/overwritten-values.ts'
import {
  codeChildren,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstLine,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import { type Hit, isScriptGrammar, type ParsedFile, type Rule } from './rule.ts'

/**
 * Whether a name occurs once in a node. Comments and strings count, because documentation,
 * `__all__` and pragmas use names, too.
 */
function occursOnce(name: string, { startIndex, endIndex }: Node, { words }: ParsedFile): boolean {
  return words.countBetween(name, startIndex, endIndex) === 1
}

function occursIn(name: string, { startIndex, endIndex }: Node, { words }: ParsedFile): boolean {
  return words.countBetween(name, startIndex, endIndex) > 0
}

/** Whether a name occurs before or after a statement, also in comments and strings. */
function occursOutside(name: string, statement: Node, { words }: ParsedFile): boolean {
  return (
    words.countBetween(name, 0, statement.startIndex) > 0 ||
    words.countBetween(name, statement.endIndex, Number.POSITIVE_INFINITY) > 0
  )
}

/** Files whose imports are for other files, or are read by tools. */
const exportingFile =
  /(?:^|\/)(?:__init__|conftest|_?compat|settings|env|urls|apps)\.py$|(?:^|\/)settings\/[^/]+\.py$|\.d\.[cm]?ts$|\.pyi$/

/** Names that compilers and frameworks use without writing them. */
const implicitNames = /^_|^(?:React|Preact|h|jsx|jsxs|Fragment|annotations)$/

/** Modules that are imported for what they do. */
const registeringModules =
  /^(?:signals|receivers|handlers|models|routes|views|tasks|checks|admin|plugins|readline)$/

const isSuppressed = /noqa|eslint-disable|@ts-|pylint|NOSONAR|NOPMD|isort|side.?effect|regist/i

/** What generators write at the top of their files, which nobody edits. */
const generated = /^\W*(?:this (?:file )?is an? |code |this file was )?(?:auto-?)?generated\b/i

function checkUnusedImport(statement: Node, file: ParsedFile): Hit | undefined {
  if (exportingFile.test(file.path) || isSuppressed.test(withLineBefore(statement, file)))
    return undefined
  if (file.lines.slice(0, 5).some((line) => generated.test(line))) return undefined
  const name = importedNames(statement, file).find(
    ({ text }) => !implicitNames.test(text) && !occursOutside(text, statement, file),
  )
  if (!name) return undefined
  return {
    at: firstLine(name),
    title: `Unused import: ${quoteCode(name.text)}`,
    body:
      `When ${quoteCode(name.text)} isn't needed, remove the import. When it is, the code that ` +
      'should use it is missing.',
  }
}

/** Minified code has long lines. */
function isMinified({ startPosition }: Node, { lines }: ParsedFile): boolean {
  return (lines[startPosition.row] ?? '').length > 500
}

function withLineBefore(statement: Node, { lines }: ParsedFile): string {
  const { startPosition: start, endPosition: end } = statement
  return lines
    .slice(Math.max(0, start.row - 1), end.row + 1)
    .join('\n')
    .slice(0, 2_000)
}

/** The names that an import binds and that the file is certain to import for itself. */
function importedNames(statement: Node, file: ParsedFile): Node[] {
  if (isScriptGrammar(file.language)) return scriptImports(statement)
  return file.language === 'java' ? javaImports(statement) : pythonImports(statement)
}

function scriptImports(statement: Node): Node[] {
  const specifiers = findNodes(statement, 'import_specifier').map(
    (specifier) => field(specifier, 'alias') ?? field(specifier, 'name')!,
  )
  const others = findNodes(statement, 'import_clause', 'namespace_import').flatMap((clause) =>
    clause.namedChildren.filter(({ type }) => type === 'identifier'),
  )
  return [...others, ...specifiers]
}

function javaImports(statement: Node): Node[] {
  const isWildcard = statement.namedChildren.some(({ type }) => type === 'asterisk')
  const path = statement.namedChild(0)
  const name = path && field(path, 'name')
  return isWildcard || !name ? [] : [name]
}

/** Imports within functions and after other code are often there for their effects. */
function pythonImports(statement: Node): Node[] {
  const owner = statement.parent
  if (owner?.type !== 'module' || !isAmongFirst(statement) || !hasCode(owner)) return []
  const from = fieldText(statement, 'module_name')
  if (from === '__future__') return []
  return statement.childrenForFieldName('name').flatMap((name) => {
    const alias = field(name, 'alias')
    if (alias) return alias.text === fieldText(name, 'name') ? [] : [alias]
    // `import a.b` binds `a`, and is often there for its effects.
    const [identifier, ...others] = name.namedChildren
    const isBound = identifier && others.length === 0 && !registeringModules.test(name.text)
    return isBound ? [identifier] : []
  })
}

/** Whether a module has more than imports, which are then for other modules. */
function hasCode(owner: Node): boolean {
  return codeChildren(owner).some((node) => !headerTypes.test(node.type) && !isDocumentation(node))
}

const headerTypes =
  /^(?:import_statement|import_from_statement|future_import_statement|comment|try_statement)$/

function isAmongFirst(statement: Node): boolean {
  for (let before = statement.previousNamedSibling; before; before = before.previousNamedSibling) {
    if (!headerTypes.test(before.type) && !isDocumentation(before)) return false
  }
  return true
}

function isDocumentation({ type, text }: Node): boolean {
  return type === 'expression_statement' && /^[rub]?["']/.test(text)
}

/** A local variable whose name occurs nowhere else in the function. */
function checkUnusedLocal(declaration: Node, file: ParsedFile): Hit | undefined {
  const fn = functionAround(declaration)
  const name = fn && localNameOf(declaration)
  if (!name || ignoredNames.test(name) || !occursOnce(name, fn, file)) return undefined
  if (readsAllNames(fn, file) || isMinified(declaration, file)) return undefined
  if (isSuppressed.test(withLineBefore(declaration, file))) return undefined
  return {
    at: firstLine(declaration),
    title: `Unused variable: ${quoteCode(name)} is never read`,
    body:
      `When this runs, the value of ${quoteCode(name)} has no effect. Use it where it was meant ` +
      'to be used, or remove it.',
  }
}

/** Whether a function runs code that may use any of its variables. */
function readsAllNames(fn: Node, file: ParsedFile): boolean {
  return ['locals', 'eval', 'exec', 'vars'].some((name) => occursIn(name, fn, file))
}

const ignoredNames = /^_|^(?:unused|ignored?|dummy|self|that)/i

/** Hooks that render again when their value changes, and objects that last as long as a name. */
const hasEffectAsValue =
  /^(?:\w+\.)?use[A-Z]\w*(?:<.*>)?\(|Application\(|PhotoImage\(|Temporary\w+\(|[lL]ock\b/

/** The name that a declaration with a value gives it, if removing it changes nothing else. */
function localNameOf(declaration: Node): string | undefined {
  const name = field(declaration, 'name') ?? field(declaration, 'left')
  const value = field(declaration, 'value') ?? field(declaration, 'right')
  if (name?.type !== 'identifier' || !value || !isPlainLocal(declaration)) return undefined
  return hasEffectAsValue.test(value.text.slice(0, 200)) ? undefined : name.text
}

/** Whether a declaration only names a value, and doesn't belong to a loop, class or resource. */
function isPlainLocal(declaration: Node): boolean {
  const owner = declaration.parent
  if (!owner) return false
  if (declaration.type === 'assignment')
    return owner.type === 'expression_statement' && !inPythonClass(declaration)
  const isUsing = /^(?:await )?using\b/.test(owner.text.slice(0, 20))
  return /^(?:lexical|variable|local_variable)_declaration$/.test(owner.type) && !isUsing
}

function inPythonClass(node: Node): boolean {
  const owner = enclosingNode(node, new Set(['class_definition', 'function_definition', 'lambda']))
  return owner?.type === 'class_definition'
}

export const unusedRules: readonly Rule[] = [
  {
    id: 'unused-import',
    summary: 'Unused import: nothing in the file uses the imported name.',
    seeAlso: ['CWE-1164', 'ESLint `no-unused-vars`', 'Ruff `F401`'],
    severity: 'minor',
    category: 'maintainability',
    confidence: 0.9,
    syntax: [
      {
        languages: ['javascript', 'python', 'java'],
        nodes: ['import_statement', 'import_from_statement', 'import_declaration'],
        check: checkUnusedImport,
      },
    ],
  },
  {
    id: 'unused-variable',
    summary: 'Unused variable: a local variable is set, and never read.',
    seeAlso: ['CWE-563', 'ESLint `no-unused-vars`', 'Ruff `F841`'],
    severity: 'minor',
    category: 'maintainability',
    confidence: 0.85,
    syntax: [
      {
        languages: ['javascript', 'python', 'java'],
        nodes: ['variable_declarator', 'assignment'],
        check: checkUnusedLocal,
      },
    ],
  },
  {
    id: 'overwritten-value',
    summary:
      'A variable is assigned again before its first value is read, or loses its conditions.',
    seeAlso: ['CWE-563', 'ESLint `no-useless-assignment`', 'SonarSource `S1854`'],
    severity: 'minor',
    category: 'correctness',
    confidence: 0.85,
    syntax: [...deadValues, droppedNarrowing],
  },
]
