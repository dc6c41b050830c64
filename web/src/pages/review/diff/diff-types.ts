// Types of the diff view.
export type DiffViewType = 'unified' | 'split'
