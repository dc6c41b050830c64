// The look of the button that opens the user menu, also while the menu is loaded.
export const userButtonClass =
  'flex items-center gap-1.5 rounded-md px-2 py-1.5 font-medium hover:bg-raised'
