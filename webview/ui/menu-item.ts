/** One line of a menu. */
export interface MenuItem {
  label: string;
  icon?: string;
  run: () => void;
  /** Begins a new group. */
  startsGroup?: boolean;
}
