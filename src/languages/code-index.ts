// The index of one source file, read from its syntax: the code graph is made of these.
//
// Glossary
//   file index  all that is read from one file; it depends only on the file's bytes
//   symbol      a definition that others can name: nothing that is local to a function
//   reference   a location that names something: a call, a type, a base class, a value passed on
//   binding     a name with the type that the file itself gives it (`const shop = new Shop()`)

export type DefinitionKind =
  | 'function'
  | 'method'
  | 'class'
  | 'interface'
  | 'type'
  | 'enum'
  | 'module'
  | 'value'

/** Increased when the same bytes give another index: files of an older version are read again. */
export const codeIndexVersion = 3

/**
 * Lines are 1-based, both ends included. `within` is a position in `symbols`, or -1 for the file.
 */
export interface FileIndex {
  readonly lines: number
  /** This is the cyclomatic complexity (McCabe 1976) of all functions, plus 1 for other code. */
  readonly complexity: number
  /** Go's and Java's package, the first namespace in C# and PHP; null in other languages. */
  readonly namespace: string | null
  readonly symbols: readonly CodeSymbol[]
  readonly imports: readonly CodeImport[]
  readonly references: readonly CodeReference[]
  readonly bindings: readonly CodeBinding[]
  /** The file has syntax errors, so there may be more than was read. */
  readonly incomplete: boolean
}

export interface CodeSymbol {
  readonly name: string
  readonly kind: DefinitionKind
  readonly startLine: number
  readonly endLine: number
  /** The symbol that contains the definition. Methods outside of their class have an `owner`. */
  readonly within: number
  /**
   * The type that it belongs to, if that isn't the symbol in `within` (Go's receiver,
   * `Class::method`, `impl Type`).
   */
  readonly owner: string | null
  /** Whether other files can name it. */
  readonly exported: boolean
  /** The text before the body, joined into one line and cut to 300 characters. */
  readonly signature: string
  /** This is the cyclomatic complexity of functions and methods; 0 for other symbols. */
  readonly complexity: number
  /**
   * Null for symbols that can't be called. `most` is null for variadic functions. Receivers such
   * as Python's `self` aren't counted.
   */
  readonly parameters: { readonly least: number; readonly most: number | null } | null
  /** Names of base classes, interfaces and traits as in the source, without type arguments. */
  readonly extends: readonly string[]
}

/** One import statement, or one of its names where each is a separate import (Java, Rust). */
export interface CodeImport {
  readonly line: number
  /**
   * The source text: `./cart.js`, `@scope/pkg/part`, `os.path`, `..models`,
   * `github.com/acme/shop/cart`, `com.acme.Cart`, `crate::cart::Cart`, `cart/item.h`.
   */
  readonly from: string
  /**
   * The names that it binds. `name` is the exported name: `*` for the whole module, `default` for
   * the default export.
   */
  readonly names: readonly { readonly name: string; readonly local: string }[]
  /**
   * `static` and `dynamic` bind names or nothing; `reexport` exports the names again; `type` is
   * removed by the compiler; `include` is C's local include and `system` the one in angle brackets;
   * `all` binds every exported name (`import *`, `using`).
   */
  readonly kind: 'static' | 'dynamic' | 'reexport' | 'type' | 'include' | 'system' | 'all'
}

/** Of several references on a line to the same name in the same role, only the first is listed. */
export interface CodeReference {
  readonly name: string
  /**
   * The last name before the dot, arrow or colons (`this`, `self`, `shop` in `a.shop.buy()`); null
   * if there is none, `''` if it isn't a name, as in `f().x()`.
   */
  readonly qualifier: string | null
  /** `type` is a type annotation, `extends` a base type, `value` a read or a passed value. */
  readonly kind: 'call' | 'new' | 'type' | 'extends' | 'value'
  readonly line: number
  /** The symbol that contains the reference. */
  readonly within: number
  /** The number of arguments of a call; null if one is spread, and for other kinds. */
  readonly arguments: number | null
}

export interface CodeBinding {
  /**
   * `()` stands for the return value of the enclosing function, declared or inferred; its type is
   * `?` if it returns several types.
   */
  readonly name: string
  /**
   * The source text without type arguments, pointers and packages. The type of a call's result is
   * the call: `createShop()`, `factory.createShop()`.
   */
  readonly type: string
  /** Local names are within a function, fields within a class, others within the file (-1). */
  readonly within: number
}
