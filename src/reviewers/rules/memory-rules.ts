// Rules about memory and errors whose checks are in the folders of languages.
import type { Rule } from './rule.ts'

export const memoryRules: readonly Rule[] = [
  {
    id: 'buffer-overflow',
    summary: 'A text of any length is copied into a buffer of a fixed size (`gets`, `strcpy`).',
    seeAlso: ['CWE-120', 'CWE-242', 'flawfinder `strcpy`'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.85,
  },
  {
    id: 'format-string',
    summary: 'A variable is used as the format of `printf` or a similar function.',
    seeAlso: ['CWE-134', 'GCC `-Wformat-security`'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.85,
  },
  {
    id: 'pointer-size',
    summary: '`sizeof` gives the size of a pointer where the size of its buffer is needed.',
    seeAlso: ['CWE-467', 'GCC `-Wsizeof-pointer-memaccess`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
  },
  {
    id: 'lost-allocation',
    summary: 'The result of `realloc` overwrites the only pointer to the old buffer.',
    seeAlso: ['CWE-401', 'Cppcheck `memleakOnRealloc`'],
    severity: 'minor',
    category: 'correctness',
    confidence: 0.9,
  },
  {
    id: 'mismatched-delete',
    summary: '`delete` frees an array, or `delete[]` a single object.',
    seeAlso: ['CWE-762', 'Clang `-Wmismatched-new-delete`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
  },
  {
    id: 'dangling-pointer',
    summary: 'A pointer into a local string is returned.',
    seeAlso: ['CWE-562', 'Clang `-Wreturn-stack-address`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
  },
]
