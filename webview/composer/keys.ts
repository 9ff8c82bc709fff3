/** What a key means in a text field. */

export type ComposerAction = 'send' | 'steer' | 'cancel' | 'edit-last' | 'decide' | null;

type Key = Pick<
  KeyboardEvent,
  'key' | 'keyCode' | 'isComposing' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'
>;

/**
 * Whether an input method is at work: what it commits by Enter is text, not a command. Browsers differ in whether
 * `isComposing` is still set on the key that ends the composition; keyCode 229 says it all the same.
 */
export const isComposition = (event: Pick<Key, 'isComposing' | 'keyCode'>): boolean =>
  event.isComposing || event.keyCode === 229;

export function composerAction(
  event: Key,
  field: { sendOn: 'enter' | 'modEnter'; isEmpty: boolean },
): ComposerAction {
  if (isComposition(event)) return null;
  const hasMod = event.ctrlKey || event.metaKey;
  switch (event.key) {
    case 'Enter':
      if (event.shiftKey || event.altKey) return null;
      if (field.sendOn === 'modEnter') return hasMod ? 'send' : null;
      return hasMod ? 'steer' : 'send';
    case 'Escape':
      return 'cancel';
    case 'ArrowUp':
      if (!field.isEmpty || event.shiftKey || event.altKey) return null;
      return hasMod ? 'decide' : 'edit-last';
    default:
      return null;
  }
}
