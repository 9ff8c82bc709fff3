/** One line of a menu. */
export interface MenuItem {
  label: string;
  icon?: string;
  run: () => void;
  /** A second line that explains the first. */
  about?: string;
  /** One of several of which exactly one holds: whether it is this one. */
  isChecked?: boolean;
  /** Begins a new group. */
  startsGroup?: boolean;
}
