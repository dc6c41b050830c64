// Which definition each call of TypeScript and JavaScript files means, as the TypeScript compiler itself resolves it: a program
// of its own, because the compiler is installed for benchmarks only. Reads paths, one a line; prints the calls as JSON.
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript5'

/** Resolves the calls of the given files; `most` of them, spread evenly. Paths are relative to the folder. */
function findTrueCalls(folder, paths, most) {
  const root = realpathSync(folder)
  const found = []
  for (const [config, files] of Map.groupBy(paths, (path) => nearestConfig(root, dirname(path)))) {
    const program = ts.createProgram(
      files.map((path) => join(root, path)),
      readOptions(root, config),
    )
    const checker = program.getTypeChecker()
    for (const path of files) {
      const source = program.getSourceFile(join(root, path))
      if (source !== undefined) collect(root, path, source, checker, found)
    }
  }
  const step = Math.max(1, found.length / most)
  return Array.from(
    { length: Math.min(most, found.length) },
    (_, at) => found[Math.floor(at * step)],
  )
}

function nearestConfig(root, folder) {
  for (let at = folder; ; at = dirname(at)) {
    const config = join(root, at, 'tsconfig.json')
    if (existsSync(config)) return config
    if (at === '.' || at === '') return ''
  }
}

/** Aliases and the rest as the project has it; whatever decides which files there are, or fails without packages, is ours. */
function readOptions(root, config) {
  const text = config === '' ? '{}' : readFileSync(config, 'utf8')
  const parsed = ts.parseConfigFileTextToJson(config, text).config ?? {}
  const own = ts.parseJsonConfigFileContent(
    { ...parsed, files: [], include: [] },
    ts.sys,
    config === '' ? root : dirname(config),
  )
  return {
    paths: own.options.paths,
    baseUrl: own.options.baseUrl,
    pathsBasePath: own.options.pathsBasePath,
    jsx: ts.JsxEmit.Preserve,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    allowJs: true,
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
  }
}

function collect(root, path, source, checker, found) {
  const visit = (node) => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const name = nameOf(node.expression)
      const target = name && definitionOf(root, name, checker)
      if (name && target) {
        const line = source.getLineAndCharacterOfPosition(name.getStart(source)).line + 1
        found.push({ path, line, name: name.text, target })
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
}

function nameOf(callee) {
  if (ts.isIdentifier(callee)) return callee
  return ts.isPropertyAccessExpression(callee) && ts.isIdentifier(callee.name)
    ? callee.name
    : undefined
}

/** Functions, methods, classes, and constants with functions; what is a parameter or local to a function names nobody. */
function definitionOf(root, name, checker) {
  let symbol = checker.getSymbolAtLocation(name)
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol)
  const declaration = symbol?.valueDeclaration
  if (!declaration || !isDefinition(declaration)) return undefined
  const source = declaration.getSourceFile()
  const path = relative(root, source.fileName)
  if (path.startsWith('..') || path.includes('node_modules/') || source.isDeclarationFile)
    return undefined
  const named = ts.getNameOfDeclaration(declaration) ?? declaration
  const line = source.getLineAndCharacterOfPosition(named.getStart(source)).line + 1
  return { path, line, name: ts.isIdentifier(named) ? named.text : name.text }
}

function isDefinition(declaration) {
  if (ts.isFunctionDeclaration(declaration) || ts.isClassDeclaration(declaration)) return true
  if (ts.isMethodDeclaration(declaration)) return ts.isClassLike(declaration.parent)
  if (ts.isMethodSignature(declaration)) return true
  if (ts.isPropertyDeclaration(declaration)) return isFunctionValue(declaration.initializer)
  if (!ts.isVariableDeclaration(declaration)) return false
  return (
    ts.isSourceFile(declaration.parent.parent.parent) && isFunctionValue(declaration.initializer)
  )
}

function isFunctionValue(value) {
  return value !== undefined && (ts.isArrowFunction(value) || ts.isFunctionExpression(value))
}

const [folder, most] = process.argv.slice(2)
const listed = readFileSync(0, 'utf8').split('\n').filter(Boolean)
process.stdout.write(JSON.stringify(findTrueCalls(folder, listed, Number(most))))
